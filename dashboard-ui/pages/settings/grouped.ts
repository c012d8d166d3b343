/** An option that is in force. */
export interface Setting {
    readonly path: string;
    readonly value: unknown;
}

/** What a number of an option counts. */
export type SettingUnit = 'milliseconds' | 'bytes';

/** Options that begin alike. */
export interface SettingGroup {
    /** The common start of their paths; empty for single settings. */
    readonly name: string;
    readonly settings: readonly Setting[];
}

/** Settings whose path or value contains the text, by the first part of their paths. Single settings come first. */
export function grouped(settings: readonly Setting[], text: string): readonly SettingGroup[] {
    const wanted = text.trim().toLowerCase();
    const groups = new Map<string, Setting[]>([['', []]]);
    for (const setting of settings) {
        if (!`${setting.path}\n${valueText(setting.value)}`.toLowerCase().includes(wanted)) continue;
        const name = setting.path.includes('.') ? setting.path.split('.', 1)[0]! : '';
        groups.set(name, [...(groups.get(name) ?? []), setting]);
    }
    return [...groups].filter(([, found]) => found.length > 0).map(([name, found]) => ({ name, settings: found }));
}

/** A value as people read it. */
export function valueText(value: unknown): string {
    return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The path without what its group is called by. */
export function nameIn({ name }: SettingGroup, { path }: Setting): string {
    return name === '' ? path : path.slice(name.length + 1);
}

/** What a number counts, where the option's name says it: the ends of names are the same throughout. */
export function unitOf({ path, value }: Setting): SettingUnit | undefined {
    if (typeof value !== 'number') return undefined;
    if (/Ms$/.test(path)) return 'milliseconds';
    return /(Bytes|FileSize)$/.test(path) ? 'bytes' : undefined;
}

const SPANS = [
    { unit: 'day', ms: 86_400_000 },
    { unit: 'hour', ms: 3_600_000 },
    { unit: 'minute', ms: 60_000 },
    { unit: 'second', ms: 1_000 },
] as const;

/** A span of time in the largest unit of which there is one, as people say it. */
export function spanText(ms: number, locale: string): string {
    const { unit, ms: one } = SPANS.find(span => ms >= span.ms) ?? { unit: 'millisecond', ms: 1 };
    return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits: 1 }).format(
        ms / one,
    );
}
