/** The part of JSON Schema that zod writes for the settings of adapters, with Flow's annotations of fields. */
export interface JsonSchema {
    readonly type?: 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array' | 'null';
    readonly title?: string;
    readonly description?: string;
    readonly default?: unknown;
    readonly enum?: readonly unknown[];
    /** What people read in the place of the values of `enum`. */
    readonly labels?: Readonly<Record<string, string>>;
    readonly properties?: Readonly<Record<string, JsonSchema>>;
    readonly required?: readonly string[];
    readonly additionalProperties?: JsonSchema | boolean;
    readonly items?: JsonSchema;
    readonly anyOf?: readonly JsonSchema[];
    readonly minimum?: number;
    readonly maximum?: number;
    readonly minLength?: number;
    readonly maxLength?: number;
    readonly minItems?: number;
    readonly maxItems?: number;
    readonly pattern?: string;
    readonly $ref?: string;
    readonly $defs?: Readonly<Record<string, JsonSchema>>;
    /** What the field is to be edited with; without it the type decides. */
    readonly widget?: string;
    /** Sibling fields and the values at which this field has a meaning. */
    readonly showIf?: Readonly<Record<string, unknown>>;
    /** Of a connection: the types that fit. */
    readonly connectionTypes?: readonly string[];
    /** The sibling field that selects one of these. */
    readonly connectionTypeField?: string;
    /** Of a file: the formats that fit. */
    readonly fileFormats?: readonly string[];
    /** Sibling fields that are cleared when this field gets a value, because only one of them may be set. */
    readonly replaces?: readonly string[];
    /** Only pipelines that are defined in code may set it. */
    readonly codeFirstOnly?: boolean;
    /** Further settings of the same kind, such as "Pages". They are folded under this title. */
    readonly group?: string;
    /** For code: the names that it can use, depending on the values of sibling fields. */
    readonly scopes?: readonly CodeScope[];
    /** Of code: the global names that there are. */
    readonly globals?: readonly string[];
}

/** A name that code finds. */
export interface CodeName {
    readonly name: string;
    /** As TypeScript would write it. */
    readonly type: string;
    readonly about: string;
    readonly fields?: readonly CodeName[];
    /** Whether its fields, or those of its elements, are a record's. */
    readonly holds?: 'record' | 'records';
}

/** The names that code can use at some values of the sibling fields. */
export interface CodeScope {
    readonly showIf?: Readonly<Record<string, unknown>>;
    readonly names: readonly CodeName[];
}

/** How a field is edited. `json` takes whatever the others cannot show, so that nothing is lost. */
export type FieldKind =
    'text' | 'textarea' | 'number' | 'boolean' | 'select' | 'object' | 'list' | 'map' | 'choice' | 'json';

/** A field of an object. */
export interface Field {
    readonly key: string;
    readonly schema: JsonSchema;
    readonly isRequired: boolean;
}

const LONG_TEXTS: ReadonlySet<string | undefined> = new Set(['textarea', 'template', 'code']);

/** The target of a `$ref`; annotations next to the reference take precedence. */
export function resolved(schema: JsonSchema, root: JsonSchema): JsonSchema {
    const { $ref, ...beside } = schema;
    if ($ref === undefined) return schema;
    const target = $ref === '#' ? root : root.$defs?.[$ref.replace(/^#\/\$defs\//, '')];
    return target === undefined ? beside : { ...resolved(target, root), ...beside };
}

/** The fields of an object, in the order of its schema. */
export function fieldsOf(schema: JsonSchema, root: JsonSchema): readonly Field[] {
    return Object.entries(schema.properties ?? {}).map(([key, field]) => ({
        key,
        schema: resolved(field, root),
        isRequired: schema.required?.includes(key) ?? false,
    }));
}

/** What people read of a value of `enum`. */
export function labelOf({ labels = {} }: JsonSchema, value: string): string {
    return Object.hasOwn(labels, value) ? labels[value]! : value;
}

/** How a field of this schema is edited. */
export function kindOf(schema: JsonSchema, root: JsonSchema): FieldKind {
    if (schema.widget === 'json') return 'json';
    if (schema.anyOf) return canBeToldApart(schema.anyOf, root) ? 'choice' : 'json';
    if (schema.enum) return schema.enum.every(value => typeof value === 'string') ? 'select' : 'json';
    switch (schema.type) {
        case 'string':
            return LONG_TEXTS.has(schema.widget) ? 'textarea' : 'text';
        case 'number':
        case 'integer':
            return 'number';
        case 'boolean':
            return 'boolean';
        case 'object':
            return kindOfObject(schema);
        case 'array':
            return kindOfList(schema, root);
        default:
            return 'json';
    }
}

function kindOfObject({ properties, additionalProperties }: JsonSchema): FieldKind {
    if (properties) return 'object';
    return typeof additionalProperties === 'object' && additionalProperties.type === 'string' ? 'map' : 'json';
}

function kindOfList({ items }: JsonSchema, root: JsonSchema): FieldKind {
    if (items === undefined) return 'json';
    const kind = kindOf(resolved(items, root), root);
    return kind === 'json' || kind === 'map' ? 'json' : 'list';
}

/** Whether a value shows by its type which one it is of. */
function canBeToldApart(branches: readonly JsonSchema[], root: JsonSchema): boolean {
    const types = branches.map(branch => typeOf(resolved(branch, root)));
    return types.every(type => type !== undefined) && new Set(types).size === types.length;
}

/** `integer` is a number. */
function typeOf({ type }: JsonSchema): string | undefined {
    return type === 'integer' ? 'number' : type;
}

/** The branch that a value is of; the first one where there is no value. */
export function branchOf(branches: readonly JsonSchema[], value: unknown): number {
    if (value === undefined) return 0;
    const type = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
    return Math.max(
        branches.findIndex(branch => typeOf(branch) === type),
        0,
    );
}

/** Whether an editor of this kind can show a value without changing it. */
export function fits(kind: FieldKind, value: unknown): boolean {
    if (value === undefined) return true;
    switch (kind) {
        case 'text':
        case 'textarea':
        case 'select':
            return typeof value === 'string';
        case 'number':
            return typeof value === 'number';
        case 'boolean':
            return typeof value === 'boolean';
        case 'object':
            return isRecord(value);
        case 'map':
            return isRecord(value) && Object.values(value).every(one => typeof one === 'string');
        case 'list':
            return Array.isArray(value);
        case 'choice':
        case 'json':
            return true;
    }
}

/** An object that is not a list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
    return typeof value === 'object' && value !== null && !Array.isArray(value);
}
