import ts from 'typescript';
import { parse as parseYaml } from 'yaml';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/core/value/json';
import type { DefinitionInput, PipelineSource } from '../../src/core/pipeline/definition';
import * as flow from '../../src';
import type { GuideBlock } from './guide-blocks';

/** The pipeline of a block, or a part of one in a pipeline around it. */
export type Shown = Pick<PipelineSource, 'code'> & { readonly definition: DefinitionInput };

/** Whether a block of TypeScript builds a pipeline. */
export const buildsPipeline = ({ language, text }: GuideBlock): boolean =>
    language === 'ts' && /\bpipeline\(\s*'/.test(text);

/** The pipelines of a block; empty if it is about something else. */
export function pipelinesOf(block: GuideBlock): readonly Shown[] {
    if (buildsPipeline(block)) return builtBy(block.text);
    const value = valueOf(block);
    return value === undefined ? [] : writtenIn(value);
}

function valueOf({ language, text }: GuideBlock): JsonValue | undefined {
    if (language === 'json') return JSON.parse(text) as JsonValue;
    return language === 'yaml' ? (parseYaml(text) as JsonValue) : undefined;
}

const START = { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } };
const FILE = { key: 'file', kind: 'EXTRACT', config: { adapterCode: 'csv', csvText: '' } };

/** A definition, a document, a list of them, a step, a call of an operator, a hook. */
function writtenIn(value: JsonValue): readonly Shown[] {
    if (!isJsonObject(value)) return [];
    const { steps, definition, pipelines, code, kind, op, type } = value;
    const named = (made: JsonValue): Shown => ({
        code: typeof code === 'string' && type === undefined ? code : 'unnamed',
        definition: made as unknown as DefinitionInput,
    });
    if (Array.isArray(steps)) return [named(value)];
    if (Array.isArray(pipelines)) return pipelines.flatMap((one: JsonValue) => writtenIn(one));
    if (isJsonObject(definition)) return [named(definition)];
    if (kind === 'EXTRACT') return [named(line([START, value]))];
    if (typeof op === 'string')
        return [named(line([START, FILE, { key: 'shape', kind: 'TRANSFORM', config: { operators: [value] } }]))];
    return type === 'INTERCEPTOR' ? [named({ ...line([START, FILE]), hooks: { AFTER_EXTRACT: [value] } })] : [];
}

function line(steps: readonly JsonObject[]): JsonObject {
    const edges = steps.slice(1).map((step, i) => ({ from: steps[i]!['key']!, to: step['key']! }));
    return { version: 1, steps: [...steps], edges };
}

/** Names that a block may leave to its reader. */
const LEFT_OUT = { erpConnection: {}, fetch: () => Promise.reject(new Error('A guide sends no requests')) };

/** Evaluates a block, and collects the results of `build()`. */
function builtBy(text: string): readonly Shown[] {
    const built: Shown[] = [];
    const { outputText } = ts.transpileModule(text, {
        compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
    });
    const pipeline = (code: string): object => kept(flow.pipeline(code), built);
    const load = (name: string): unknown => {
        if (name === 'vendure-plugin-flow') return { ...flow, pipeline };
        return name === 'node:fs' ? { readFileSync: () => '' } : jest.requireActual(name);
    };
    const given = { ...LEFT_OUT, pipeline, FlowPlugin: flow.FlowPlugin };
    const free = Object.keys(given).filter(name => !new RegExp(`import .*\\b${name}\\b`).test(text));
    const values = free.map(name => given[name as keyof typeof given]);
    new Function('require', 'exports', ...free, outputText)(load, {}, ...values);
    return built;
}

/** The builder: each of its methods returns the builder, except `build`. */
function kept(builder: object, built: Shown[]): object {
    return new Proxy(builder, {
        get(target, name) {
            const method = Reflect.get(target, name) as (...args: unknown[]) => unknown;
            return (...args: unknown[]) => {
                const answer = method.apply(target, args);
                if (name !== 'build') return kept(answer as object, built);
                built.push(answer as Shown);
                return answer;
            };
        },
    });
}
