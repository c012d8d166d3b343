import { isJsonObject, type JsonObject, type JsonValue } from '../value/json';
import { show } from '../value/show';
import { flowError } from '../errors/flow-error';
import { SMALL_BITS, type Work } from '../work/work';
import { HOOK_STAGES } from '../adapter/hook-stages';
import { pipelineCodeProblem } from './pipeline-code';
import { readingInput } from './read-input';
import { capabilitiesSchema, errorHandlingSchema, throughputSchema } from '../schema/settings';

/** A pipeline as people keep it in a file: what it is called and its definition, with whatever faults that still has. */
export interface PipelineDocument {
    readonly code: string;
    readonly name: string;
    readonly description: string;
    readonly definition: JsonObject;
}

/** The version of the frame around the definition. */
const FRAME = 1;

/** In which order the keys of an object are written: those named first as they are named, the others by the alphabet. */
interface Order {
    readonly first?: readonly string[];
    /** Of what these keys hold. */
    readonly inner?: Readonly<Record<string, Order>>;
    /** Of the elements of a list. */
    readonly each?: Order;
}

const CALLS: Order = {
    each: {
        first: ['op', 'args'],
        // Of an operator that others work within.
        inner: {
            args: {
                inner: {
                    get operators() {
                        return CALLS;
                    },
                },
            },
        },
    },
};
const CONFIG: Order = {
    first: ['adapterCode', 'type', 'errorHandlingMode', 'mode'],
    inner: {
        operators: CALLS,
        rules: { each: { first: ['type', 'spec'], inner: { spec: { first: ['field'] } } } },
        branches: { each: { first: ['name', 'when'] } },
    },
};
const DEFINITION: Order = {
    first: ['version', 'steps', 'edges', 'capabilities', 'throughput', 'errorHandling', 'hooks'],
    inner: {
        steps: { each: { first: ['key', 'kind', 'name', 'disabled', 'config'], inner: { config: CONFIG } } },
        edges: { each: { first: ['from', 'to', 'branch'] } },
        capabilities: { first: Object.keys(capabilitiesSchema.shape) },
        throughput: { first: Object.keys(throughputSchema.shape) },
        errorHandling: { first: Object.keys(errorHandlingSchema.shape) },
        hooks: { first: HOOK_STAGES },
    },
};

/**
 * A definition with its keys in their one order, whatever order they came in: equal definitions give equal text. The elements of lists
 * stay where they are, and −0, which JSON cannot write, is 0.
 */
export function puttingInOrder(definition: JsonObject): Work<JsonObject> {
    return inOrder(definition, DEFINITION, { count: 0 }) as Work<JsonObject>;
}

/** A document as the JSON value that is written, its keys in their order and its texts without spaces around, as they are stored. */
export function* documentAsJson({ code, name, description, definition }: PipelineDocument): Work<JsonObject> {
    const about = description.trim();
    return {
        flow: FRAME,
        code,
        name: name.trim(),
        ...(about !== '' && { description: about }),
        definition: yield* puttingInOrder(definition),
    };
}

/**
 * A document from the value that a text holds. Its definition is plain JSON of an allowed size, and may have any other fault. Throws
 * INPUT_INVALID, which names the field.
 */
export function* readingDocument(value: JsonValue): Work<PipelineDocument> {
    if (!isJsonObject(value))
        throw wrong(`document is ${show(value)}; allowed: an object with flow, code, name, description and definition`);
    const { flow, code, name, description, definition, ...others } = value;
    const stranger = Object.keys(others)[0];
    if (stranger !== undefined)
        throw wrong(`document has the field ${show(stranger)}; allowed: flow, code, name, description, definition`);
    if (flow !== FRAME) throw wrong(`document.flow is ${show(flow)}; allowed: ${FRAME}, the version of the format`);
    if (typeof code !== 'string') throw wrong(`document.code is ${show(code)}; allowed: the code of a pipeline`);
    const problem = pipelineCodeProblem(code);
    if (problem !== undefined) throw wrong(`document.code: ${problem}`);
    return {
        code,
        name: textOf(name, 'name') ?? code,
        description: textOf(description, 'description') ?? '',
        definition: yield* soundJson(definition),
    };
}

function textOf(value: JsonValue | undefined, field: 'name' | 'description'): string | undefined {
    if (value === undefined) return undefined;
    const path = `document.${field}`;
    if (typeof value !== 'string') throw wrong(`${path} is ${show(value)}; allowed: a text`);
    if (/\p{Surrogate}/u.test(value)) throw wrong(`${path} holds half of a surrogate pair; allowed: any other text`);
    return value;
}

function* soundJson(definition: JsonValue | undefined): Work<JsonObject> {
    if (!isJsonObject(definition))
        throw wrong(`document.definition is ${show(definition)}; allowed: an object with version, steps and edges`);
    const { value, issues } = yield* readingInput(definition);
    const [issue] = issues;
    if (value === undefined || issue) throw wrong(`document.definition: ${issue?.message ?? 'it cannot be read'}`);
    return value;
}

function wrong(problem: string): Error {
    return flowError('INPUT_INVALID', { problem });
}

/** How many values have been put in order so far. */
interface Progress {
    count: number;
}

function* inOrder(value: JsonValue, order: Order, progress: Progress): Work<JsonValue> {
    if (++progress.count % SMALL_BITS === 0) yield;
    if (Object.is(value, -0)) return 0;
    if (Array.isArray(value)) {
        const list: JsonValue[] = [];
        for (const element of value as readonly JsonValue[])
            list.push(yield* inOrder(element, order.each ?? {}, progress));
        return list;
    }
    if (!isJsonObject(value)) return value;
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
