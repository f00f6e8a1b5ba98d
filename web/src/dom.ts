// Making elements.

type Child = Node | string;
type Attributes = Record<string, string | number | boolean | ((event: Event) => void)>;

/** An element; attributes that are functions are listeners, false ones are left out. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false) element.setAttribute(name, String(value));
  }
  element.append(...children);
  return element;
}

/** The colour of a custom property of the page. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** Colours of sources: Okabe and Ito's, which colour-blind readers can tell apart. */
export function sourceColour(source: number): string {
  return colour(`--source-${source % 7}`);
}
