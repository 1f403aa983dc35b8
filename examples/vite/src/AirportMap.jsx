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
  return airports.map((_, i) => [
    WIDTH / 2 + (east[i] - middle(east)) * narrow * scale,
    HEIGHT / 2 - (north[i] - middle(north)) * scale,
  ]);
}

export function AirportMap({ airports }) {
  const [wanted, setWanted] = useState("");
  const [pointed, setPointed] = useState();
  const fits = ({ code, name, city }) => `${code} ${name} ${city}`.toLowerCase().includes(wanted.toLowerCase());
  const shown = pointed ?? airports.find(fits);
  return (
    <>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${airports.length} airports on a map`}>
        {project(airports).map(([x, y], i) => (
          <circle
            key={airports[i].code}
            className={airports[i] === shown ? "shown" : fits(airports[i]) ? "fits" : ""}
            cx={x}
            cy={y}
            r={airports[i] === shown ? 7 : 4}
            onMouseEnter={() => setPointed(airports[i])}
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
