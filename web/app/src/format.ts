// Numbers for people.

const UNITS = ["B", "KB", "MB", "GB"];

/** `1.23 MB`. */
export function bytes(count: number): string {
  let unit = 0;
  let value = count;
  while (value >= 999.5 && unit < UNITS.length - 1) [value, unit] = [value / 1000, unit + 1];
  const digits = unit === 0 ? 0 : value < 10 ? 2 : value < 100 ? 1 : 0;
  return `${value.toFixed(digits)} ${UNITS[unit]}`;
}

/** A length in scene units, which glTF says are metres. */
export function length(metres: number): string {
  if (metres === 0) return "0 mm";
  const millimetres = metres * 1000;
  if (Math.abs(millimetres) >= 1e5) return `${significant(metres)} m`;
  if (Math.abs(millimetres) < 1e-3) return `${significant(millimetres * 1000)} µm`;
  return `${significant(millimetres)} mm`;
}

/** A share, in percent. */
export function percent(share: number): string {
  return `${significant(share * 100)} %`;
}

/** Three digits that count, without zeros behind them. */
export function significant(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return "unknown";
  if (value === 0) return "0";
  const size = Math.floor(Math.log10(Math.abs(value)));
  if (size < -4 || size > 6) return value.toExponential(digits - 1);
  return String(Number(value.toFixed(Math.max(0, digits - 1 - size))));
}

export function seconds(value: number): string {
  return `${value.toFixed(2)} s`;
}

/** How much smaller something became. */
export function saving(before: number, after: number): string {
  if (before === 0) return "";
  const saved = (1 - after / before) * 100;
  return saved >= 0 ? `${saved.toFixed(1)} % smaller` : `${(-saved).toFixed(1)} % larger`;
}
