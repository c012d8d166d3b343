import { branchOf, fieldsOf, fits, isRecord, type JsonSchema, kindOf, resolved } from './json-schema';
import { isShown } from './values';

/** Checks a form in the browser. The server checks everything again. */
export interface FormFault {
    /** `auth.headerName`, `items.2.sku`; empty for the whole. */
    readonly path: string;
    readonly problem: 'missing' | 'short' | 'long' | 'small' | 'large' | 'shape' | 'few' | 'many' | 'type';
    /** What is allowed, where it is a number. */
    readonly limit?: number;
}

/** What is wrong with what would be sent. */
export function faultsOf(schema: JsonSchema, value: unknown, root: JsonSchema = schema): readonly FormFault[] {
    return faultsAt({ schema, root, path: '' }, value);
}

interface Place {
    readonly schema: JsonSchema;
    readonly root: JsonSchema;
    readonly path: string;
}

function faultsAt(place: Place, value: unknown): readonly FormFault[] {
    const { schema, root, path } = place;
    if (value === undefined) return [];
    const kind = kindOf(schema, root);
    if (!fits(kind, value)) return [{ path, problem: 'type' }];
    if (kind === 'object' && isRecord(value)) return ofObject(place, value);
    if (kind === 'list' && Array.isArray(value)) return ofList(place, value);
    if (kind === 'choice' && schema.anyOf) {
        const branches = schema.anyOf.map(branch => resolved(branch, root));
        const branch = branches[branchOf(branches, value)];
        return branch ? faultsAt({ ...place, schema: branch }, value) : [];
    }
    if (typeof value === 'string') return ofText(place, value);
    return typeof value === 'number' ? ofNumber(place, value) : [];
}

function ofObject({ schema, root, path }: Place, value: Readonly<Record<string, unknown>>): readonly FormFault[] {
    const fields = fieldsOf(schema, root);
    return fields
        .filter(field => isShown(field, fields, value))
        .flatMap(({ key, schema: inner, isRequired }): readonly FormFault[] => {
            const at = path === '' ? key : `${path}.${key}`;
            if (value[key] === undefined) return isRequired ? [{ path: at, problem: 'missing' }] : [];
            return faultsAt({ schema: inner, root, path: at }, value[key]);
        });
}

function ofList({ schema, root, path }: Place, value: readonly unknown[]): readonly FormFault[] {
    const { minItems = 0, maxItems = Infinity, items } = schema;
    const inner = items ? resolved(items, root) : {};
    return [
        ...(value.length < minItems ? [{ path, problem: 'few', limit: minItems } as const] : []),
        ...(value.length > maxItems ? [{ path, problem: 'many', limit: maxItems } as const] : []),
        ...value.flatMap((item, i) => faultsAt({ schema: inner, root, path: `${path}.${i}` }, item)),
    ];
}

function ofText({ schema, path }: Place, value: string): readonly FormFault[] {
    const { minLength = 0, maxLength = Infinity, pattern } = schema;
    if (value.length < minLength) return [{ path, problem: 'short', limit: minLength }];
    if (value.length > maxLength) return [{ path, problem: 'long', limit: maxLength }];
    return pattern === undefined || patternOf(pattern)?.test(value) !== false ? [] : [{ path, problem: 'shape' }];
}

/** Undefined where this browser does not support the pattern; then only the server checks it. */
function patternOf(pattern: string): RegExp | undefined {
    try {
        return new RegExp(pattern, 'u');
    } catch {
        return undefined;
    }
}

function ofNumber({ schema, path }: Place, value: number): readonly FormFault[] {
    const { minimum = -Infinity, maximum = Infinity, type } = schema;
    if (value < minimum) return [{ path, problem: 'small', limit: minimum }];
    if (value > maximum) return [{ path, problem: 'large', limit: maximum }];
    return type === 'integer' && !Number.isInteger(value) ? [{ path, problem: 'type' }] : [];
}
