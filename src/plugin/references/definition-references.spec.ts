import { z } from 'zod';
import { textNaming } from '../../../test/kit/naming';
import { connections } from '../../adapters';
import type { AdapterDefinition } from '../../core/adapter/definition';
import { defineExtractor } from '../../core/adapter/extractor';
import { recordOperator } from '../../core/adapter/operator';
import { Registry } from '../../core/adapter/registry';
import { defineRule, reporting } from '../../core/adapter/rule';
import { noSecretIsSent } from '../../core/adapter/secret-hosts';
import { connectionCode, secretCode } from '../../core/schema/fields';
import { operators } from '../../core/operators';
import { triggers } from '../../core/triggers';
import { fitsConnection, readConnection, secretsOf } from '../options/connection-settings';
import { definitionReferences } from './definition-references';

const reads = defineExtractor({
    code: 'reads',
    aliases: ['readsToo'],
    title: 'Reads',
    summary: 'Reads.',
    category: 'Test',
    config: z.strictObject({
        connectionCode: connectionCode(['S3'], { title: 'Connection', description: 'Where from.' }),
        auth: z
            .discriminatedUnion('type', [
                z.strictObject({ type: z.literal('KEY'), secretCode: secretCode('Key', 'The key.') }),
                z.strictObject({ type: z.literal('NONE') }),
            ])
            .optional(),
    }),
    secretUses: noSecretIsSent,
    async *extract() {
        /* Reads nothing. */
    },
});
const signs = recordOperator({
    code: 'signs',
    title: 'Signs',
    summary: 'Signs.',
    category: 'Test',
    config: z.strictObject({ keys: z.array(secretCode('Key', 'The key.')) }),
    secretUses: noSecretIsSent,
    examples: [],
    compile: () => data => data,
});
const asks = defineRule({
    code: 'asks',
    title: 'Asks',
    summary: 'Requests a secret.',
    config: z.strictObject({ key: secretCode('Key', 'The key.'), ...reporting() }),
    secretUses: noSecretIsSent,
    examples: [],
    compile: () => () => undefined,
});
const registry = Registry.of(triggers, connections, operators, [reads, signs, asks] as readonly AdapterDefinition[]);

const step = (key: string, kind: string, config: unknown, more: object = {}): object => ({
    key,
    kind,
    config,
    ...more,
});
const found = (definition: unknown): readonly string[] =>
    definitionReferences(definition, registry).map(
        ({ to, code, path, stepKey, isDisabled }) =>
            `${stepKey}: ${to} ${path}=${code}${isDisabled ? ' (disabled)' : ''}`,
    );

describe('what a definition names', () => {
    it('is found in every step and operator, by its place in the definition', () => {
        expect(
            found({
                steps: [
                    step('start', 'TRIGGER', { type: 'MANUAL' }),
                    step('in', 'EXTRACT', {
                        adapterCode: 'reads',
                        connectionCode: 'a',
                        auth: { type: 'KEY', secretCode: 'b' },
                    }),
                    step('sign', 'TRANSFORM', {
                        operators: [
                            { op: 'trim', args: { path: 'x' } },
                            { op: 'signs', args: { keys: ['c', 'd'] } },
                        ],
                    }),
                    step('check', 'VALIDATE', {
                        rules: [{ type: 'asks', spec: { key: 'r' } }, { type: 'nobody', spec: { key: 's' } }, 7],
                    }),
                    step('off', 'EXTRACT', { adapterCode: 'reads', connectionCode: 'e' }, { disabled: true }),
                ],
            }),
        ).toEqual([
            'in: connection steps[1].config.connectionCode=a',
            'in: secret steps[1].config.auth.secretCode=b',
            'sign: secret steps[2].config.operators[1].args.keys[0]=c',
            'sign: secret steps[2].config.operators[1].args.keys[1]=d',
            'check: secret steps[3].config.rules[0].spec.key=r',
            'off: connection steps[4].config.connectionCode=e (disabled)',
        ]);
    });

    it('is found in operators within operators', () => {
        const within = (op: object): object => ({ op: 'each', args: { path: 'l', operators: [{ op: 'trim' }, op] } });
        expect(
            found({
                steps: [
                    step('sign', 'TRANSFORM', { operators: [within(within({ op: 'signs', args: { keys: ['c'] } }))] }),
                ],
            }),
        ).toEqual(['sign: secret steps[0].config.operators[0].args.operators[1].args.operators[1].args.keys[0]=c']);
    });

    it('is found under an alias of an adapter, as a working copy may have it', () => {
        expect(
            found({
                steps: [step('in', 'EXTRACT', { adapterCode: 'readsToo', auth: { type: 'KEY', secretCode: 'b' } })],
            }),
        ).toEqual(['in: secret steps[0].config.auth.secretCode=b']);
    });

    it.each([
        ['nothing', undefined],
        ['no object', 'x'],
        ['steps that are not a list', { steps: {} }],
        ['a step that is not an object', { steps: [1, null] }],
        ['no configuration', { steps: [step('a', 'EXTRACT', undefined)] }],
        ['an unknown adapter', { steps: [step('a', 'EXTRACT', { adapterCode: 'x', connectionCode: 'y' })] }],
        [
            'values that are not operators',
            {
                steps: [
                    step('a', 'TRANSFORM', {
                        operators: [1, {}, { op: 'x', args: {} }, { op: 'signs' }, { op: 'signs', args: { keys: 7 } }],
                    }),
                ],
            },
        ],
        [
            'values that are not hooks',
            { steps: [], hooks: { RUN_STARTED: [1, { type: 'X' }, { type: 'LOG', message: 'm' }], X: 1 } },
        ],
    ])('is nothing where there is %s', (_what, definition) => {
        expect(found(definition)).toEqual([]);
    });
});

describe('a stored connection', () => {
    const row = { code: 'a', type: 'HTTP', settings: {}, enabled: true };

    it('is read with the defaults of its type', () => {
        expect(readConnection(row, registry)).toEqual({
            connection: {
                code: 'a',
                type: 'HTTP',
                settings: { auth: { type: 'NONE' }, headers: {}, timeoutMs: 30_000 },
            },
        });
    });

    it('cannot be read if its type was removed from the code, or no longer accepts its settings', () => {
        expect(readConnection({ ...row, type: 'CARRIER_PIGEON' }, registry)).toMatchObject({
            problem: { message: textNaming('CARRIER_PIGEON', 'HTTP, ') },
        });
        expect(readConnection({ ...row, settings: { timeoutMs: 0, x: 1 } }, registry)).toMatchObject({
            problem: {
                message: textNaming(
                    'settings.timeoutMs is 0; ',
                    '1 to 300000',
                    'settings.x ',
                    'baseUrl, auth, headers, timeoutMs',
                ),
            },
        });
    });

    it('names the secrets of its settings', () => {
        const settings = {
            host: 'db',
            username: 'u',
            passwordSecretCode: 'pw',
            ssl: { enabled: true, caSecretCode: 'ca' },
        };
        expect(secretsOf({ type: 'POSTGRES', settings }, registry).map(({ code, path }) => `${path}=${code}`)).toEqual([
            'passwordSecretCode=pw',
            'ssl.caSecretCode=ca',
        ]);
        expect(secretsOf({ type: 'CARRIER_PIGEON', settings }, registry)).toEqual([]);
    });

    it('fits a field that names its type by any of its names', () => {
        expect(fitsConnection(registry, 'OBJECT_STORAGE', ['HTTP', 'S3'])).toBe(true);
        expect(fitsConnection(registry, 'HTTP', ['S3'])).toBe(false);
        expect(fitsConnection(registry, 'HTTP', undefined)).toBe(true);
    });
});
