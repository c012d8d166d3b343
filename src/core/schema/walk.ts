import type { z } from 'zod';
import { own } from '../data/own';

type Schema = z.core.$ZodType;

interface AnyDef {
    readonly type: string;
    readonly innerType?: Schema;
    readonly shape?: Readonly<Record<string, Schema>>;
    readonly element?: Schema;
    readonly valueType?: Schema;
    readonly options?: readonly Schema[];
    readonly discriminator?: string;
    readonly getter?: () => Schema;
    readonly format?: string;
    readonly checks?: ReadonlyArray<z.core.$ZodCheck>;
}

interface AnyCheck {
    readonly check: string;
    readonly value?: number;
    readonly inclusive?: boolean;
    readonly minimum?: number;
    readonly maximum?: number;
    readonly length?: number;
}

/** What a range of numbers, lengths or sizes allows: "1 to 10000", "at most 64 characters". */
export interface Range {
    readonly of: 'number' | 'string' | 'array';
    readonly text: string;
}

function defOf(schema: Schema): AnyDef {
    return schema._zod.def as unknown as AnyDef;
}

/** Takes off what only wraps another schema: optional, nullable, default, lazy … */
export function bare(schema: Schema): Schema {
    const def = defOf(schema);
    if (def.type === 'lazy' && def.getter) return bare(def.getter());
    return def.innerType ? bare(def.innerType) : schema;
}

/** The schema of a property or element, undefined where it cannot be told; the value decides between alternatives. */
export function childSchema(schema: Schema, key: PropertyKey, value: unknown): Schema | undefined {
    const def = defOf(bare(schema));
    if (def.type === 'object') return def.shape && own(def.shape, String(key));
    if (def.type === 'array') return def.element;
    if (def.type === 'record') return def.valueType;
    if (def.type !== 'union' || !def.options) return undefined;
    const chosen = def.options.find(option => chooses(option, def.discriminator, value));
    return chosen && childSchema(chosen, key, value);
}

function chooses(option: Schema, discriminator: string | undefined, value: unknown): boolean {
    const type = defOf(bare(option)).type;
    if (typeof value !== 'object' || value === null) return false;
    if (Array.isArray(value)) return type === 'array';
    if (type !== 'object' && type !== 'record') return false;
    if (discriminator === undefined) return true;
    const tag = defOf(bare(option)).shape?.[discriminator];
    return tag?._zod.values?.has((value as Record<string, z.core.util.Primitive>)[discriminator]) === true;
}

/** The fields of an object schema, or of the alternative that the value chooses; undefined where there are none to name. */
export function knownKeys(schema: Schema, value: unknown): readonly string[] | undefined {
    const { shape, options, discriminator } = defOf(bare(schema));
    if (shape) return Object.keys(shape);
    const chosen = options?.find(option => chooses(option, discriminator, value));
    return chosen && knownKeys(chosen, value);
}

/** True for a schema of whole numbers. */
export function isWhole(schema: Schema): boolean {
    return (defOf(bare(schema)).format ?? '').includes('int');
}

/** Both ends of what a schema allows; undefined where it sets no bounds of its own. */
export function rangeOf(schema: Schema): Range | undefined {
    const def = defOf(bare(schema));
    if (def.type !== 'number' && def.type !== 'string' && def.type !== 'array') return undefined;
    let low: string | undefined;
    let high: string | undefined;
    let exact: number | undefined;
    for (const check of def.checks ?? []) {
        const rule = check._zod.def as unknown as AnyCheck;
        if (rule.check === 'greater_than') low = rule.inclusive ? String(rule.value) : `more than ${rule.value}`;
        if (rule.check === 'less_than') high = rule.inclusive ? String(rule.value) : `less than ${rule.value}`;
        if (rule.check === 'min_length') low = String(rule.minimum);
        if (rule.check === 'max_length') high = String(rule.maximum);
        if (rule.check === 'length_equals') exact = rule.length;
    }
    const text = exact === undefined ? between(low, high) : `exactly ${exact}`;
    if (text === undefined) return undefined;
    const unit = def.type === 'string' ? 'character' : 'element';
    return { of: def.type, text: def.type === 'number' ? text : `${text} ${unit}${/\b1$/.test(text) ? '' : 's'}` };
}

function between(low: string | undefined, high: string | undefined): string | undefined {
    const from = low === undefined || low.startsWith('more') ? low : `at least ${low}`;
    const to = high === undefined || high.startsWith('less') ? high : `at most ${high}`;
    if (from === undefined || to === undefined) return from ?? to;
    return from === low || to === high ? `${from} and ${to}` : `${low} to ${high}`;
}
