import { useState } from "react";

const [WIDTH, HEIGHT, MARGIN] = [640, 340, 16];

/** Puts degrees onto the picture: a degree of longitude is the shorter, the further north. */
function project(airports) {
  // Alaska reaches across the date line.
  const east = airports.map(({ longitude }) => (longitude > 0 ? longitude - 360 : longitude));
  const north = airports.map(({ latitude }) => latitude);
  const middle = (all) => (Math.min(...all) + Math.max(...all)) / 2;
  const extent = (all) => Math.max(Math.max(...all) - Math.min(...all), 0.1);
  const narrow = Math.cos((middle(north) * Math.PI) / 180);
  const scale = Math.min((WIDTH - 2 * MARGIN) / (extent(east) * narrow), (HEIGHT - 2 * MARGIN) / extent(north));
  return airports.map((airport, i) => ({
    airport,
    x: WIDTH / 2 + (east[i] - middle(east)) * narrow * scale,
    y: HEIGHT / 2 - (north[i] - middle(north)) * scale,
  }));
}

export function AirportMap({ airports }) {
  const [wanted, setWanted] = useState("");
  const [pointed, setPointed] = useState();
  const fits = ({ code, name, city }) => `${code} ${name} ${city}`.toLowerCase().includes(wanted.toLowerCase());
  const shown = pointed ?? airports.find(fits);
  const kinds = ["", "fits", "shown"];
  const rank = (airport) => (airport === shown ? 2 : fits(airport) ? 1 : 0);
  // What is drawn last lies on top.
  const points = project(airports).toSorted((a, b) => rank(a.airport) - rank(b.airport));
  return (
    <>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${airports.length} airports on a map`}>
        {points.map(({ airport, x, y }) => (
          <circle
            key={airport.code}
            className={kinds[rank(airport)]}
            cx={x}
            cy={y}
            r={airport === shown ? 7 : 4}
            onMouseEnter={() => setPointed(airport)}
            onMouseLeave={() => setPointed(undefined)}
          />
        ))}
      </svg>
      <footer>
        <input type="search" placeholder="Find" aria-label="Find" value={wanted} onChange={(event) => setWanted(event.target.value)} />
        <output>
          {shown ? (
            <>
              <b>{shown.code}</b> {shown.name}, {shown.city}
            </>
          ) : (
            "No such airport"
          )}
        </output>
        {shown && (
          <small>
            {shown.latitude.toFixed(2)}°, {shown.longitude.toFixed(2)}°
          </small>
        )}
      </footer>
    </>
  );
}
