/** Comparisons that need no value. */
const WITHOUT_VALUE: ReadonlySet<string> = new Set(['exists', 'notExists', 'isNull', 'isEmpty', 'isNotEmpty']);
/** Comparisons with a list. */
const WITH_LIST: ReadonlySet<string> = new Set(['in', 'notIn']);
/** Comparisons with a text, whatever it looks like. */
const WITH_TEXT: ReadonlySet<string> = new Set(['startsWith', 'endsWith', 'regex', 'matches']);

/** Whether a comparison is made with a value. */
export function needsValue(cmp: string): boolean {
    return !WITHOUT_VALUE.has(cmp);
}

/** A value as the user would type it: text as it is, unless it would be parsed as something else; lists with commas. */
export function valueText(value: unknown, cmp: string): string {
    if (value === undefined) return '';
    if (WITH_TEXT.has(cmp) && typeof value === 'string') return value;
    if (WITH_LIST.has(cmp) && Array.isArray(value) && value.every(one => isPlain(one)))
        return value.map(oneText).join(', ');
    return oneText(value);
}

/** The value of typed text: numbers, true, false, null and JSON are parsed, anything else is text. Empty text means undefined. */
export function typedValue(text: string, cmp: string): unknown {
    if (WITH_TEXT.has(cmp)) return text === '' ? undefined : text;
    if (text.trim() === '') return undefined;
    if (!WITH_LIST.has(cmp)) return oneValue(text);
    const whole = json(text);
    if (whole && Array.isArray(whole.value)) return whole.value;
    return partsOf(text).map(oneValue);
}

/** What a value becomes when another comparison is made with it. */
export function valueFor(
    cmp: string,
    { value, before }: { readonly value: unknown; readonly before: string },
): unknown {
    if (!needsValue(cmp)) return undefined;
    return WITH_TEXT.has(cmp) && typeof value === 'string' ? value : typedValue(valueText(value, before), cmp);
}

/** Only what a list with commas can hold without being misread. */
function isPlain(value: unknown): boolean {
    return (
        typeof value === 'number' ||
        typeof value === 'boolean' ||
        value === null ||
        (typeof value === 'string' && value.trim() === value && value !== '' && !/[,"[\]]/.test(value))
    );
}

function oneText(value: unknown): string {
    if (typeof value !== 'string') return JSON.stringify(value);
    return json(value) || value.trim() !== value || value === '' ? JSON.stringify(value) : value;
}

function oneValue(text: string): unknown {
    const read = json(text);
    return read ? read.value : text.trim();
}

/** Split at commas, those within quotes left alone. */
function partsOf(text: string): readonly string[] {
    const parts = text.match(/\s*"(?:[^"\\]|\\.)*"\s*|[^,]+/g) ?? [];
    return parts.map(part => part.trim()).filter(part => part !== '');
}

function json(text: string): { readonly value: unknown } | undefined {
    try {
        return { value: JSON.parse(text) as unknown };
    } catch {
        return undefined; // Then it is text.
    }
}
