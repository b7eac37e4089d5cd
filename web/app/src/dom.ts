// Elements, said shortly. Styles are set through the object model, which a strict Content-Security-Policy allows.

type Child = Node | string | null | undefined | false;
type Properties = Record<string, unknown>;

function fill(element: Element, properties: Properties, children: Child[]): void {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value as EventListener);
    else if (name === "style") for (const [key, to] of Object.entries(value as Record<string, string>)) (element as HTMLElement).style.setProperty(key, to);
    else if (name === "value" || name === "checked") (element as unknown as Properties)[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child): child is Node | string => child !== null && child !== undefined && child !== false));
}

/** An HTML element. */
export function h<Tag extends keyof HTMLElementTagNameMap>(tag: Tag, properties: Properties = {}, ...children: Child[]): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  fill(element, properties, children);
  return element;
}

/** An SVG element. */
export function svg<Tag extends keyof SVGElementTagNameMap>(tag: Tag, properties: Properties = {}, ...children: Child[]): SVGElementTagNameMap[Tag] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(element, properties, children);
  return element;
}

/** An element of the page itself, by its id. */
export function at<Kind extends HTMLElement>(id: string): Kind {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no #${id}`);
  return element as Kind;
}

/** A colour or a length of the style sheet. */
export function token(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
