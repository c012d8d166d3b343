import { isJsonObject, type JsonObject, type JsonValue } from '../value/json';
import { HOOK_STAGES } from '../adapter/hook-stages';
import { definitionOf, type Schema } from '../schema/definition';
import { capabilitiesSchema, errorHandlingSchema, stepRetrySchema, throughputSchema } from '../schema/settings';
import { bare } from '../schema/walk';
import { declaredKinds } from '../steps/kinds';
import type { StepKindDeclaration } from '../steps/kinds/step-kind';
import { SMALL_STEPS, type YieldingTask } from '../concurrency/yielding-task';

/** In which order the keys of an object are written: those named first as they are named, the others by the alphabet. */
interface Order {
    readonly first?: readonly string[];
    /** Of what these keys hold. */
    readonly inner?: Readonly<Record<string, Order>>;
    /** Of the elements of a list. */
    readonly each?: Order;
    /** Another order, where a field says which. */
    readonly chosen?: { readonly by: string; readonly among: ReadonlyMap<unknown, Order> };
}

const STEP_FIELDS = ['key', 'kind', 'name', 'disabled', 'retry', 'config'];
const RETRY = orderOf(stepRetrySchema);

/** Of an operator that others work within. */
const WITHIN: Order = {
    inner: {
        get operators() {
            return { each: { first: ['op', 'args'], inner: { args: WITHIN } } };
        },
    },
};

/** Steps of an unknown kind have their fields in alphabetical order, because it is unknown which fields belong together. */
const STEP: Order = {
    first: STEP_FIELDS,
    inner: { retry: RETRY },
    chosen: {
        by: 'kind',
        among: new Map(
            declaredKinds.map(declared => [
                declared.kind,
                { first: STEP_FIELDS, inner: { retry: RETRY, config: orderOfConfig(declared) } },
            ]),
        ),
    },
};

const DEFINITION: Order = {
    first: ['version', 'steps', 'edges', 'capabilities', 'throughput', 'errorHandling', 'hooks'],
    inner: {
        steps: { each: STEP },
        edges: { each: { first: ['from', 'to', 'branch'] } },
        capabilities: orderOf(capabilitiesSchema),
        throughput: orderOf(throughputSchema),
        errorHandling: orderOf(errorHandlingSchema),
        hooks: { first: HOOK_STAGES },
    },
};

/**
 * A definition with its keys in a fixed order: equal definitions have equal text. Lists keep their order, and −0, which
 * JSON cannot write, becomes 0.
 */
export function sortingKeys(definition: JsonObject): YieldingTask<JsonObject> {
    return inOrder(definition, DEFINITION, { count: 0 }) as YieldingTask<JsonObject>;
}

function orderOfConfig({ frame, adapters }: StepKindDeclaration): Order {
    const own = orderOf(frame);
    if (adapters.form === 'none') return own;
    if (adapters.form === 'one') return { ...own, first: [adapters.field, ...(own.first ?? [])] };
    const { list, code, value, kind, first = [] } = adapters;
    const called: Order = kind === 'operator' ? WITHIN : { first };
    return { ...own, inner: { ...own.inner, [list]: { each: { first: [code, value], inner: { [value]: called } } } } };
}

/** The order in which a schema names its fields, and those within them; alternatives have none. */
function orderOf(schema: Schema): Order {
    const definition = definitionOf(bare(schema));
    if (definition.type === 'array') return { each: orderOf(definition.element) };
    if (definition.type !== 'object') return {};
    const fields = Object.entries(definition.shape);
    return {
        first: fields.map(([name]) => name),
        inner: Object.fromEntries(fields.map(([name, field]) => [name, orderOf(field)])),
    };
}

/** How many values have been put in order so far. */
interface Progress {
    count: number;
}

function* inOrder(value: JsonValue, given: Order, progress: Progress): YieldingTask<JsonValue> {
    if (++progress.count % SMALL_STEPS === 0) yield;
    if (Object.is(value, -0)) return 0;
    if (Array.isArray(value)) {
        const list: JsonValue[] = [];
        for (const element of value as readonly JsonValue[])
            list.push(yield* inOrder(element, given.each ?? {}, progress));
        return list;
    }
    if (!isJsonObject(value)) return value;
    const order = (given.chosen && given.chosen.among.get(value[given.chosen.by])) ?? given;
    const first = (order.first ?? []).filter(key => Object.hasOwn(value, key));
    const rest = Object.keys(value)
        .filter(key => !first.includes(key))
        .sort();
    const fields: Array<readonly [string, JsonValue]> = [];
    for (const key of [...first, ...rest])
        fields.push([key, yield* inOrder(value[key]!, innerOf(order, key), progress)]);
    return Object.fromEntries(fields);
}

function innerOf({ inner }: Order, key: string): Order {
    return inner && Object.hasOwn(inner, key) ? inner[key]! : {};
}
