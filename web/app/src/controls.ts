// Controls that show a value of the page's state and change it.

import { h } from "./dom.js";
import { type State, store } from "./state.js";

type KeysOf<Value> = { [Key in keyof State]: State[Key] extends Value ? Key : never }[keyof State];

/** A box to tick. */
export function toggle(label: string, key: KeysOf<boolean>, hint?: string): HTMLLabelElement {
  const box = h("input", { type: "checkbox", onchange: () => store.set({ [key]: box.checked }) });
  store.watch([key], (state) => (box.checked = state[key] as boolean));
  return h("label", { class: "chip", title: hint }, box, label);
}

/** One of several. */
export function choice<Key extends keyof State>(label: string, key: Key, options: [value: State[Key] & (string | number), name: string][]): HTMLLabelElement {
  const list = h("select", { onchange: () => store.set({ [key]: options[list.selectedIndex]![0] } as unknown as Partial<State>) });
  list.append(...options.map(([value, name]) => h("option", { value }, name)));
  store.watch([key], (state) => (list.selectedIndex = options.findIndex(([value]) => value === state[key])));
  return h("label", { class: "inline" }, label, list);
}
