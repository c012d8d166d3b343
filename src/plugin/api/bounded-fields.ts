import {
    defaultFieldResolver,
    type FieldNode,
    getNamedType,
    type GraphQLField,
    type GraphQLObjectType,
    type GraphQLResolveInfo,
    type GraphQLSchema,
    isLeafType,
    isObjectType,
    Kind,
    type SelectionSetNode,
} from 'graphql';
import type { JsonValue } from '../../core/value/json';
import { HOLDER_WEIGHT } from '../../core/data/weight';
import type { FlowError } from '../../core/errors/flow-error';
import type { ResponseLimit, ResponseSize } from '../responses/response-limit';

/** Quotes, colon and comma around a name. */
const AROUND = 4;

/** The counters for the fields of one request. */
export interface ResponseCount {
    readonly bound: ResponseLimit;
    /** The resolved values of an object's fields, by field. Further aliases reuse them. */
    readonly resolved: WeakMap<object, Map<string, unknown>>;
    /** The error that GraphQL receives if the response is rejected. It is the same object for each field, however many fields there are. */
    refused(issue: FlowError, info: GraphQLResolveInfo): Error;
}

/** Types and fields that belong to Flow, by the name of the type. For types of Vendure that Flow extends: the fields that Flow adds. */
export type OwnFields = ReadonlyMap<string, ReadonlySet<string> | 'all'>;

interface Counted {
    readonly countOf: (context: unknown) => ResponseCount | undefined;
    readonly own: OwnFields;
}

/**
 * Wraps all fields of Flow's types, so that they are counted when they are resolved: texts and JSON by their size, objects by the requested
 * fields, before GraphQL resolves these. All data of a response passes through here. Returns the number of fields.
 */
export function countFields(schema: GraphQLSchema, { countOf, own }: Counted): number {
    let count = 0;
    for (const type of Object.values(schema.getTypeMap())) {
        const names = own.get(type.name);
        if (!names || !isObjectType(type)) continue;
        for (const field of Object.values(type.getFields())) {
            if (names !== 'all' && !names.has(field.name)) continue;
            countField(field, type, { countOf, isRoot: names !== 'all' });
            count++;
        }
    }
    return count;
}

function countField(
    field: GraphQLField<unknown, unknown>,
    { name }: GraphQLObjectType,
    { countOf, isRoot }: Pick<Counted, 'countOf'> & { readonly isRoot: boolean },
): void {
    const where = `${name}.${field.name}`;
    const { resolve = defaultFieldResolver } = field;
    const isOnce = !isRoot && field.resolve !== undefined && field.args.length === 0;
    const isLeaf = isLeafType(getNamedType(field.type));
    field.resolve = (...call) => {
        const [, , context, info] = call;
        const count = countOf(context);
        if (!count) return resolve(...call) as unknown;
        const { bound } = count;
        const take = (value: unknown): unknown => {
            bound.take(where, isLeaf ? ofValue(bound, value) : ofObjects(value, askedOf(info)));
            return value;
        };
        const work = (): unknown => resolve(...call);
        // Once the response is rejected, any further error is reported as that rejection.
        const reported = (error: unknown): unknown => (bound.fault ? count.refused(bound.fault, info) : error);
        try {
            // Nothing more is resolved for a rejected response.
            bound.assertGood();
            if (isRoot) bound.take(where, { chars: AROUND + String(info.path.key).length, fields: 1 });
            const result = isOnce ? onceOf(count.resolved, { source: call[0], where }, work) : work();
            return isPromise(result) ? settled(result) : take(result);
        } catch (error) {
            // GraphQL ignores the promises of earlier rows if a row throws. If one of these were rejected later, it would end the process.
            return Promise.reject(reported(error) as Error);
        }
        async function settled(result: Promise<unknown>): Promise<unknown> {
            try {
                return take(await result);
            } catch (error) {
                throw reported(error);
            }
        }
    };
}

function ofValue(bound: ResponseLimit, value: unknown): ResponseSize {
    return { chars: bound.weightOf(value as JsonValue), fields: Array.isArray(value) ? value.length : 0 };
}

/** The value of an object's field, resolved once for all of its aliases in the operation. */
function onceOf(known: ResponseCount['resolved'], { source, where }: FieldOfObject, resolve: () => unknown): unknown {
    if (typeof source !== 'object' || source === null) return resolve();
    const fields = known.get(source) ?? new Map<string, unknown>();
    known.set(source, fields);
    if (!fields.has(where)) fields.set(where, resolve());
    return fields.get(where);
}

interface FieldOfObject {
    readonly source: unknown;
    readonly where: string;
}

function ofObjects(value: unknown, { chars, fields }: Asked): Asked {
    const objects = Array.isArray(value) ? value.length : value === null || value === undefined ? 0 : 1;
    return { chars: HOLDER_WEIGHT + objects * chars, fields: objects * fields };
}

/** What is written for an object in addition to the values of its fields. */
interface Asked {
    readonly chars: number;
    readonly fields: number;
}

/** GraphQL passes the same list for all objects of a list. */
const requested = new WeakMap<readonly FieldNode[], Asked>();

function askedOf({ fieldNodes, fragments }: GraphQLResolveInfo): Asked {
    const known = requested.get(fieldNodes);
    if (known) return known;
    const names = new Set<string>();
    const seen = new Set<string>();
    const add = ({ selections }: SelectionSetNode): void => {
        for (const selection of selections) {
            if (selection.kind === Kind.FIELD) names.add((selection.alias ?? selection.name).value);
            else if (selection.kind === Kind.INLINE_FRAGMENT) add(selection.selectionSet);
            else if (!seen.has(selection.name.value)) {
                seen.add(selection.name.value);
                const fragment = fragments[selection.name.value];
                if (fragment) add(fragment.selectionSet);
            }
        }
    };
    for (const { selectionSet } of fieldNodes) if (selectionSet) add(selectionSet);
    let chars = HOLDER_WEIGHT;
    for (const name of names) chars += AROUND + name.length;
    const made = { chars, fields: names.size };
    requested.set(fieldNodes, made);
    return made;
}

function isPromise(value: unknown): value is Promise<unknown> {
    return typeof (value as PromiseLike<unknown> | null | undefined)?.then === 'function';
}
