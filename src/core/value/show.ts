/** A value as a message quotes it: short, on one line. */
export function show(value: unknown): string {
    if (value === undefined) return 'missing';
    if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`;
    if (typeof value === 'object' && value !== null) return 'an object';
    if (typeof value !== 'string') return String(value);
    const quoted = JSON.stringify(value.length > 60 ? [...value.slice(0, 120)].slice(0, 60).join('') : value);
    return value.length > 60 ? `${quoted.slice(0, -1)}…"` : quoted;
}
