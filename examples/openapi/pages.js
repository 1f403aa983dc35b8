// What both pages draw with.
const $ = (id) => document.getElementById(id);
const element = (tag, properties, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};
const bar = (tag, className, share, ...children) => {
  const made = element(tag, { className: `bar ${className}` }, ...children);
  made.style.setProperty("--share", `${100 * share}%`);
  return made;
};

/** Any list of rows; a column named in `leadsTo` can be clicked. */
const table = (rows, leadsTo) => {
  const columns = Object.keys(rows[0] ?? {}).filter((column) => column !== "id");
  const isFigure = (column) => !leadsTo[column] && rows.every((row) => typeof row[column] !== "string");
  const cell = (column, row) => {
    const text = row[column] ?? "–";
    if (leadsTo[column]) return element("td", {}, element("button", { textContent: text, onclick: () => leadsTo[column](row) }));
    if (!isFigure(column)) return element("td", {}, text);
    return bar("td", "figure", row[column] / Math.max(...rows.map((each) => each[column])), text);
  };
  const head = columns.map((column) => element("th", { className: isFigure(column) ? "figure" : "", textContent: column }));
  return element("table", {}, element("thead", {}, ...head), element("tbody", {}, ...rows.map((row) => element("tr", {}, ...columns.map((column) => cell(column, row))))));
};

/** One car beside the average of its year. */
const card = (car) => element("dl", {}, ...Object.entries({ mpg: "Miles per gallon", horsepower: "Horsepower", weight: "Pounds" }).flatMap(([key, label]) => {
  const [own, average] = [car[key], car.average[key]];
  const most = Math.max(own, average);
  return [element("dt", { textContent: label }), element("dd", {}, bar("span", "", own / most, own ?? "not known"), bar("span", "average", average / most, `${average} on average in ${car.year}`))];
}));

/** What a generated tool answered: a list comes wrapped, as a result has to be an object. */
const answerOf = ({ structuredContent, isError, content }) => {
  if (isError) throw new Error(content.map((block) => block.text).join(" "));
  return structuredContent.result ?? structuredContent;
};
