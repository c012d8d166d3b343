import fc from 'fast-check';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { laidOut } from '../dashboard-ui/pages/editor/canvas/layout';
import { definitions as anyDefinition, TRIED } from '../dashboard-ui/pages/editor/model/arbitrary.fixture';
import { copied, isRefused, pasted, readPart } from '../dashboard-ui/pages/editor/model/clipboard';
import { type Definition, edgesOf, isObject, stepsOf, undrawn } from '../dashboard-ui/pages/editor/model/definition';
import { addStep, deleteSteps, insertOnEdge, renameStep, setConfig } from '../dashboard-ui/pages/editor/model/edits';
import { outlineOf } from '../dashboard-ui/pages/editor/model/outline';
import { isFault, readText, type TextFormat, textOf } from '../dashboard-ui/pages/editor/text/definition-text';
import { demoPipelines, uploadedPriceList } from '../demo/pipelines';
import { builtinTemplates } from '../src/core/templates/builtin-templates';
import { sortingKeys } from '../src/core/pipeline/key-order';
import type { JsonObject } from '../src/core/value/json';
import { runAtOnce } from '../src/core/concurrency/yielding-task';

const DOCS = join(__dirname, '../docs');

/** Definitions in the JSON of guides and the reference. */
function documented(): ReadonlyArray<readonly [string, Definition]> {
    const pages = readdirSync(DOCS, { recursive: true })
        .map(String)
        .filter(name => name.endsWith('.md'));
    return pages.flatMap(name => {
        const text = readFileSync(join(DOCS, name), 'utf8');
        return [...text.matchAll(/^```json\n([^]*?)^```/gm)].flatMap(([, block], i) => {
            const value = json(block!);
            const found = isObject(value) && isObject(value['definition']) ? value['definition'] : value;
            const isOne = isObject(found) && Array.isArray(found['steps']);
            return isOne ? [[`${name}, block ${i + 1}`, found] as const] : [];
        });
    });
}

/** Blocks that omit something are not valid JSON. */
function json(text: string): unknown {
    try {
        return JSON.parse(text);
    } catch {
        return undefined;
    }
}

const asSent = (definition: unknown): Definition => JSON.parse(JSON.stringify(definition)) as Definition;
const all: ReadonlyArray<readonly [string, Definition]> = [
    ...[...demoPipelines, uploadedPriceList].map(({ code, definition }) => [code, asSent(definition)] as const),
    ...builtinTemplates.map(({ code, definition }) => [code, asSent(definition)] as const),
    ...documented(),
];
const normal = (definition: Definition): string =>
    JSON.stringify(runAtOnce(sortingKeys(definition as unknown as JsonObject)));
const read = (text: string, format: TextFormat): Definition => {
    const definition = readText(text, format);
    if (isFault(definition)) throw new Error(`${definition.message} at ${definition.at}`);
    return definition;
};

/** The definition after each round trip of the editor. */
function thereAndBack(definition: Definition): readonly Definition[] {
    const step = { kind: 'TRANSFORM', config: { operators: [] }, called: 'for a moment' };
    const added = addStep(definition, step);
    return [
        read(textOf(definition, 'JSON'), 'JSON'),
        read(textOf(definition, 'YAML'), 'YAML'),
        deleteSteps(added.definition, [added.key]),
        ...stepsOf(definition).flatMap(({ key, config }) => [
            renameStep(renameStep(definition, key, 'another-one'), 'another-one', key),
            setConfig(setConfig(definition, key, {}), key, config),
        ]),
        ...edgesOf(definition).map(edge => {
            const inserted = insertOnEdge(definition, edge, step);
            return deleteSteps(inserted.definition, [inserted.key]);
        }),
    ];
}

describe.each(all)('%s', (_name, definition) => {
    it('is drawn completely', () => {
        expect(undrawn(definition)).toBe(0);
        expect(laidOut(definition).size).toBe(stepsOf(definition).length);
        expect(outlineOf(definition)).toHaveLength(stepsOf(definition).length);
    });

    it('survives the way from graph to text and back, byte for byte in its normal form', () => {
        for (const back of thereAndBack(definition)) expect(normal(back)).toBe(normal(definition));
    });

    it('is copied into an empty pipeline unchanged', () => {
        const keys = stepsOf(definition).map(({ key }) => key);
        const part = readPart(copied(definition, keys));
        if (isRefused(part)) throw new Error(part.problem);
        const { version, steps, edges } = definition;
        const copy = pasted({ version, steps: [], edges: [] }, part).definition;
        expect(normal(copy)).toBe(normal({ version, steps, edges }));
    });
});

it('any definition survives the round trips, also with unknown fields', () =>
    fc.assert(
        fc.property(anyDefinition, definition => {
            const sent = asSent(definition);
            for (const back of thereAndBack(sent)) expect(normal(back)).toBe(normal(sent));
        }),
        TRIED,
    ));

describe('a text', () => {
    it.each([
        ['{"version": 1,', 'JSON'],
        ['[]', 'JSON'],
        ['null', 'YAML'],
        ['a: &x [1]\nb: *x', 'YAML'],
        ['a: !!js/function "x"', 'YAML'],
        ['a: 1\na: 2', 'YAML'],
        ['a: 1\n---\nb: 2', 'YAML'],
        ['steps: [', 'YAML'],
        ['{"steps": [], "__proto__": {"x": 1}}', 'JSON'],
        ['steps:\n  - constructor: 1', 'YAML'],
        [`"${'x'.repeat(2 * 1024 * 1024)}"`, 'JSON'],
        [`{"steps": ${'['.repeat(200_000)}${']'.repeat(200_000)}}`, 'JSON'],
        [`steps: ${'['.repeat(20_000)}${']'.repeat(20_000)}`, 'YAML'],
    ] as const)('that is not a definition is rejected with the position of the error: %.30j as %s', (text, format) => {
        expect(readText(text, format)).toEqual({
            problem: expect.any(String),
            message: expect.any(String),
            at: expect.any(Number),
        });
    });
});
