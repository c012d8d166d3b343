import assert from 'node:assert/strict';
import { Registry } from '../../src/core/adapter/registry';
import { jsonSchemaOf } from '../../src/core/schema/json-schema';
import { checkDefinition } from '../../src/core/pipeline/parse';
import { findStepKind } from '../../src/core/steps/kinds';
import { partsOf } from '../../src/core/steps/kinds/parts';
import type { StepKindDeclaration } from '../../src/core/steps/kinds/step-kind';
import {
    assertFieldWords,
    checksOf,
    type ContractCheck,
    type ContractTest,
    schemaFieldsOf,
    UPPER_CASE,
} from '../../src/testing/contract';

/** The contract of every kind of steps: it describes itself for users, and names its adapters where all code finds them. */
export function stepKindContract(declared: StepKindDeclaration): readonly ContractCheck[] {
    return checksOf([...words(declared), ...adapters(declared), known(declared)]);
}

function words({ kind, summary, frame }: StepKindDeclaration): readonly ContractTest[] {
    return [
        {
            name: 'has an upper case name and a summary that is a sentence',
            run: () => {
                assert.match(kind, UPPER_CASE);
                assert.match(summary, /^[A-Z].*[^.]\.$/);
            },
        },
        {
            name: 'says of every field what it is called and what it does',
            run: () => assertFieldWords(schemaFieldsOf(jsonSchemaOf(frame))),
        },
        {
            name: 'rejects an unknown field',
            run: () => {
                const { error } = frame.safeParse({ nonsense: 1 });
                assert.ok(error?.issues.some(({ code }) => code === 'unrecognized_keys'));
            },
        },
    ];
}

function adapters(declared: StepKindDeclaration): readonly ContractTest[] {
    const { frame, adapters: named } = declared;
    if (named.form === 'none') return [];
    const own = Object.keys(frame.shape);
    return [
        {
            name: 'names its adapters in fields that a step has',
            run: () => {
                if (named.form === 'one')
                    assert.ok(!own.includes(named.field), 'the field is not among the fields of the step');
                else {
                    assert.ok(own.includes(named.list), named.list);
                    const parts = Object.keys(named.frame.shape);
                    for (const part of [named.code, named.value]) assert.ok(parts.includes(part), part);
                    const call = { [named.code]: 'nobody', [named.value]: {} };
                    assert.ok(named.frame.safeParse(call).success, 'nothing else is needed');
                }
            },
        },
        {
            name: 'is found to need what it names',
            run: () => {
                const call = named.form === 'calls' ? { [named.code]: 'nobody', [named.value]: { a: 1 } } : {};
                const config = named.form === 'one' ? { [named.field]: 'nobody' } : { [named.list]: [call] };
                const found = [...partsOf(declared, config, Registry.of([]))].flatMap(part => part.named ?? []);
                assert.deepEqual(found, [{ kind: named.kind, code: 'nobody' }]);
            },
        },
    ];
}

function known({ kind }: StepKindDeclaration): ContractTest {
    return {
        name: 'is known to the check of definitions',
        run: () => {
            assert.equal(findStepKind(kind)?.kind, kind);
            const steps = [{ key: 'a', kind, config: {} }];
            const { issues } = checkDefinition({ version: 1, steps, edges: [] }, Registry.of([]));
            const codes = issues.map(({ code }) => code);
            assert.ok(!codes.includes('STEP_KIND_UNKNOWN'));
        },
    };
}
