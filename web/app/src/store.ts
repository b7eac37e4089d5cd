// What changes, and who wants to know: the one place where the page's state lives. Panels look at it and never at each other.

/** Values by name; whoever watches some of them is called when one of these changes, once for each turn of the event loop. */
export class Store<State extends object> {
  private readonly watchers = new Set<{ keys: (keyof State)[]; call: (state: State) => void }>();
  private readonly changed = new Set<keyof State>();

  constructor(private state: State) {}

  get now(): Readonly<State> {
    return this.state;
  }

  /** Changes values; what is the same as before changes nothing. */
  set(values: Partial<State>): void {
    const keys = (Object.keys(values) as (keyof State)[]).filter((key) => !Object.is(values[key], this.state[key]));
    if (keys.length === 0) return;
    this.state = { ...this.state, ...values };
    if (this.changed.size === 0) queueMicrotask(() => this.tell());
    keys.forEach((key) => this.changed.add(key));
  }

  /** Calls now, and whenever one of the values is another. */
  watch(keys: (keyof State)[], call: (state: State) => void): void {
    this.watchers.add({ keys, call });
    call(this.state);
  }

  private tell(): void {
    const changed = new Set(this.changed);
    this.changed.clear();
    for (const { keys, call } of [...this.watchers]) if (keys.some((key) => changed.has(key))) call(this.state);
  }
}
