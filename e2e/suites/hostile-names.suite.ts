import gql from 'graphql-tag';
import { canonicalJson, type JsonObject, type JsonValue } from '../../src/core/value/json';
import { workbookOf } from '../../src/testing/workbook';
import { refusal, refusals } from '../config/administrators';
import type { FlowServer } from '../config/flow-server';
import type { SharedSuite } from '../config/shared-shop';
import { as } from '../fixtures/authoring-api';

/** The properties of every object, and the names that a definition must not contain. */
const NAMES = [...Object.getOwnPropertyNames(Object.prototype), 'prototype', 'toJSON'];
const FORBIDDEN: readonly string[] = ['__proto__', 'constructor', 'prototype'];
const ALLOWED = NAMES.filter(name => !FORBIDDEN.includes(name));

/** Not a literal, in which "__proto__" would set the prototype. */
const object = (...fields: ReadonlyArray<readonly [string, JsonValue]>): JsonObject => Object.fromEntries(fields);
/** The name at every level, next to fields that look like ids and must not change. */
const record = (name: string): JsonObject =>
    object(
        ['id', 'T_7'],
        [name, object(['id', 1], [name, [object([name, object([name, 'deep'], ['id', 'T_1'])]), null]])],
        ['next', 'kept'],
    );
const text = canonicalJson;

const definition = (kind: string, config: JsonObject): JsonObject => ({
    version: 1,
    steps: [
        { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
        { key: 'in', kind: 'EXTRACT', config: { adapterCode: 'generator', count: 1, template: { n: 1 } } },
        { key: 'step', kind, config },
    ],
    edges: [
        { from: 'start', to: 'in' },
        { from: 'in', to: 'step' },
    ],
});
const mapping = (names: readonly string[]): JsonObject =>
    definition('TRANSFORM', {
        operators: [{ op: 'map', args: { mapping: object(...names.map(name => [name, `${name}.id`] as const)) } }],
    });

const TEST = gql`
    mutation Test($input: TestFlowStepInput!) {
        testFlowStep(input: $input) {
            in
            out
            operators {
                before
                after
            }
            rejected {
                record
            }
            error {
                message
            }
        }
    }
`;

interface StepTest {
    readonly in: readonly JsonObject[];
    readonly out: readonly JsonObject[];
    readonly operators: ReadonlyArray<{
        readonly before: readonly JsonObject[];
        readonly after: readonly JsonObject[];
    }>;
    readonly rejected: ReadonlyArray<{ readonly record: JsonObject }>;
    readonly error: object | null;
}

function hostileNames(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;

    beforeAll(async () => {
        shop = await open();
    });

    const tried = async (input: object): Promise<StepTest> =>
        (await shop.adminClient.query(TEST, { input: { stepKey: 'step', ...input } })).testFlowStep as StepTest;
    const headers = () => ({
        authorization: `Bearer ${shop.adminClient.getAuthToken()}`,
        'vendure-token': shop.channelToken,
    });
    const call = async (path: string, init: RequestInit = {}): Promise<{ status: number; body: JsonObject }> => {
        const response = await fetch(`${shop.url}/flow/${path}`, { ...init, headers: headers() });
        return { status: response.status, body: (await response.json()) as JsonObject };
    };
    const upload = async (filename: string, content: string | Buffer): Promise<string> => {
        const form = new FormData();
        form.set('file', new File([new Uint8Array(Buffer.from(content))], filename));
        const { status, body } = await call('upload', { method: 'POST', body: form });
        expect({ status, body }).toMatchObject({ status: 201 });
        return (body['file'] as { readonly id: string }).id;
    };
    const preview = async (fileId: string): Promise<JsonObject> => {
        const { status, body } = await call(`files/${fileId}/preview?rows=100`);
        expect({ status, body }).toMatchObject({ status: 200 });
        return body;
    };

    it('enter and leave a step test in records, at every level', async () => {
        const records = NAMES.map(record);
        const args = { op: 'set', args: { path: 'seen', value: true } };
        const { out, operators, ...shown } = await tried({
            definition: definition('TRANSFORM', { operators: [args] }),
            records,
        });
        expect(shown).toMatchObject({ error: null, rejected: [] });
        expect(text(shown.in)).toBe(text(records));
        const seen = records.map(one => object(...Object.entries(one), ['seen', true]));
        expect(text(out)).toBe(text(seen));
        expect(text(operators[0]!.before)).toBe(text(records));
        expect(text(operators[0]!.after)).toBe(text(seen));
        const rejected = await tried({
            definition: definition('VALIDATE', { rules: [{ type: 'required', spec: { field: 'missing' } }] }),
            records,
        });
        expect(text(rejected.rejected.map(one => one.record))).toBe(text(records));
    });

    it('are stored with rejected records, and shown unchanged', async () => {
        const records = NAMES.map(record);
        const fileId = await upload('hostile.json', JSON.stringify(records));
        const shown = await preview(fileId);
        expect(text(shown['records']!)).toBe(text(records));
        const { create, publish } = as(shop.adminClient);
        const { steps, ...rest } = definition('LOAD', { adapterCode: 'productUpsert' });
        const [start, , load] = steps as readonly JsonObject[];
        const extract = { key: 'in', kind: 'EXTRACT', config: { adapterCode: 'json', fileId } };
        await publish(await create({ code: 'hostile-names', definition: { ...rest, steps: [start, extract, load] } }));
        const run = await shop.perform('hostile-names');
        expect(run).toMatchObject({ status: 'COMPLETED', recordsRead: NAMES.length, recordsRejected: NAMES.length });
        const { flowRecordErrors } = (await shop.adminClient.query(
            gql`query Rejects($id: ID!) { flowRecordErrors(runId: $id, options: { sort: { seq: ASC }, take: 100 }) { items { payload } } }`,
            { id: run.id },
        )) as { flowRecordErrors: { items: ReadonlyArray<{ readonly payload: JsonObject }> } };
        expect(text(flowRecordErrors.items.map(({ payload }) => payload))).toBe(text(records));
        const rejects = await fetch(`${shop.url}/flow/runs/${run.id}/rejects.csv`, {
            headers: headers(),
        });
        const [header] = (await rejects.text()).replace('\ufeff', '').split('\r\n');
        expect(header!.split(',')).toEqual(expect.arrayContaining(NAMES));
    });

    it.each<[string, string, () => string | Buffer]>([
        ['columns of CSV', 'names.csv', () => `${NAMES.join(',')}\n${NAMES.map(name => `a ${name}`).join(',')}\n`],
        [
            'elements of XML',
            'names.xml',
            () => `<items><item>${NAMES.map(name => `<${name}>a ${name}</${name}>`).join('')}</item></items>`,
        ],
        [
            'columns of a workbook',
            'names.xlsx',
            () => {
                const row = (number: number, cells: readonly string[]): string =>
                    `<row r="${number}">${cells.map((cell, i) => `<c r="${String.fromCharCode(65 + i)}${number}" t="inlineStr"><is><t>${cell}</t></is></c>`).join('')}</row>`;
                return workbookOf({
                    sheets: {
                        Sheet1:
                            row(1, NAMES) +
                            row(
                                2,
                                NAMES.map(name => `a ${name}`),
                            ),
                    },
                });
            },
        ],
    ])('are read as %s', async (_, filename, content) => {
        const { records, fields } = await preview(await upload(filename, content()));
        expect(text(records!)).toBe(text([object(...NAMES.map(name => [name, `a ${name}`] as const))]));
        expect(fields).toEqual(NAMES.map(name => ({ name, type: 'string' })));
    });

    it('are kept in a definition from its first draft to its text and back', async () => {
        const given = mapping(ALLOWED);
        const { create, publish } = as(shop.adminClient);
        const draft = await create({ code: 'hostile-definition', definition: given });
        expect(draft.workingCopy!.issues).toEqual([]);
        expect(text(draft.workingCopy!.definition)).toBe(text(given));
        await publish(draft);
        const { flowPipeline, exportFlowPipeline } = (await shop.adminClient.query(
            gql`query Shown($id: ID!) { flowPipeline(id: $id) { revision { definition } } exportFlowPipeline(id: $id, format: YAML) { content } }`,
            { id: draft.id },
        )) as {
            flowPipeline: { revision: { definition: { steps: readonly JsonObject[] } } };
            exportFlowPipeline: { content: string };
        };
        expect(text(flowPipeline.revision.definition.steps)).toBe(text(given['steps']));
        const { importFlowPipeline } = (await shop.adminClient.query(
            gql`
                mutation Import($document: String!) {
                    importFlowPipeline(document: $document, format: YAML) {
                        workingCopy {
                            definition
                        }
                    }
                }
            `,
            { document: exportFlowPipeline.content.replace('hostile-definition', 'hostile-import') },
        )) as { importFlowPipeline: { workingCopy: { definition: { steps: readonly JsonObject[] } } } };
        expect(text(importFlowPipeline.workingCopy.definition.steps)).toBe(text(given['steps']));
    });

    it.each(FORBIDDEN)('are rejected in a definition if they would be dangerous: %s', async name => {
        const said = await refusal(as(shop.adminClient).create({ code: 'never', definition: mapping([name]) }));
        expect(said.code).toBe('INPUT_INVALID');
        const place = `steps[2].config.operators[0].args.mapping.${name}`;
        expect(said.message).toContain(place);
        const document = JSON.stringify({ flow: 1, code: 'never', name: 'Never', definition: mapping([name]) });
        const imported = await refusal(
            shop.adminClient.query(
                gql`mutation Import($document: String!) { importFlowPipeline(document: $document, format: JSON) { id } }`,
                { document },
            ),
        );
        expect(imported.message).toContain(place);
    });

    it.each(FORBIDDEN)('are rejected in a step test in the same way as when saving, at every place: %s', async name => {
        const sound = definition('TRANSFORM', { operators: [{ op: 'set', args: { path: 'seen', value: true } }] });
        const [start, source, step] = sound['steps'] as readonly JsonObject[];
        const [first, second] = sound['edges'] as readonly JsonObject[];
        const bad = (value: JsonObject): JsonObject => object(...Object.entries(value), [name, {}]);
        const steps = (...list: readonly (JsonObject | undefined)[]): JsonObject => ({
            ...sound,
            steps: list as JsonObject[],
        });
        const untried = { key: 'behind', kind: 'TRANSFORM', config: bad({ operators: [] }) };
        const places: readonly JsonObject[] = [
            bad(sound),
            steps(bad(start!), source, step),
            steps(start, bad(source!), step),
            steps(start, source, bad(step!)),
            steps(start, source, step, untried),
            steps(start, source, { ...step, config: { operators: [bad({ op: 'set', args: {} })] } }),
            { ...sound, edges: [first!, bad(second!)] },
            { ...sound, errorHandling: bad({}) },
            { ...sound, hooks: bad({ ON_COMPLETE: [] }) },
            { ...sound, hooks: { ON_COMPLETE: [bad({})] } },
        ];
        for (const [i, given] of places.entries()) {
            const saved = await refusal(as(shop.adminClient).create({ code: 'never', definition: given }));
            expect([i, saved.code]).toEqual([i, 'INPUT_INVALID']);
            for (const records of [undefined, [{ n: 1 }]])
                expect([i, await refusal(tried({ definition: given, records }))]).toEqual([i, saved]);
        }
    });

    it.each(NAMES)(
        'are reported as errors wherever a definition does not allow them, and break nothing: %s',
        async name => {
            const sound = mapping(['a']);
            const [start, extract, step] = sound['steps'] as readonly JsonObject[];
            const wrong: Readonly<Record<string, JsonObject>> = {
                root: object(...Object.entries(sound), [name, object([name, object()])]),
                step: {
                    ...sound,
                    steps: [object(...Object.entries(start!), [name, object([name, 1])]), extract!, step!],
                },
                kind: { ...sound, steps: [start!, extract!, { ...step, kind: name }] },
                adapter: { ...sound, steps: [start!, { ...extract, config: { adapterCode: name } }, step!] },
                operator: {
                    ...sound,
                    steps: [start!, extract!, { ...step, config: { operators: [{ op: name, args: {} }] } }],
                },
                rule: definition('VALIDATE', { rules: [{ type: name, spec: {} }] }),
                config: definition('TRANSFORM', object(['operators', []], [name, object([name, object()])])),
                trigger: { ...sound, steps: [{ ...start, config: { type: name } }, extract!, step!] },
                edge: { ...sound, edges: [{ from: name, to: name }] },
                hook: object(...Object.entries(sound), ['hooks', object([name, [{ type: name }]])]),
                connection: definition('TRANSFORM', {
                    operators: [{ op: 'httpLookup', args: { connectionCode: name, url: '/a', target: 'a' } }],
                }),
                permission: { ...sound, capabilities: { requires: [name] } },
            };
            const places = Object.keys(wrong);
            const query = `query Check(${places.map(place => `$${place}: FlowJSON!`).join(', ')}) {
            ${places.map(place => `${place}: validateFlowPipeline(definition: $${place}) { code path message }`).join('\n')}
        }`;
            const answer = (await shop.adminClient.query(gql(query), wrong)) as Readonly<
                Record<string, ReadonlyArray<{ readonly path: string; readonly message: string }>>
            >;
            const told = Object.entries(answer).filter(([, issues]) =>
                issues.some(({ path, message }) => `${path} ${message}`.includes(name)),
            );
            // This operator exists; the error is about its missing arguments.
            const known = name === 'toString' ? ['operator'] : [];
            expect(told.map(([place]) => place)).toEqual(places.filter(place => !known.includes(place)));
        },
    );

    it.each(NAMES)('are rejected among the settings of a connection by their name: %s', async name => {
        const input = {
            code: 'hostile',
            type: 'HTTP',
            settings: object(['baseUrl', 'https://erp.test'], [name, object([name, object([name, 1])])]),
        };
        const [said, ...others] = await refusals(
            shop.adminClient.query(
                gql`mutation Make($input: CreateFlowConnectionInput!) { createFlowConnection(input: $input) { settings } }`,
                { input },
            ),
        );
        expect(others).toEqual([]);
        expect(said).toMatchObject({
            code: 'INPUT_INVALID',
            message: expect.stringContaining(`settings.${name}`) as string,
        });
    });
}

/** Fields whose names are properties of every object, or look to Vendure like ids. */
export const hostileNamesSuite: SharedSuite = { title: 'names that every object has', tests: hostileNames };
