import assert from 'node:assert/strict';
import type { AdapterDefinition, ByKind, Kind } from '../../src/core/adapter/definition';
import type { Rule } from '../../src/core/adapter/rule';
import type { Sink } from '../../src/core/adapter/sink';
import type { TriggerType } from '../../src/core/adapter/trigger';
import { own } from '../../src/core/data/own-properties';
import { flowError } from '../../src/core/errors/flow-error';
import { parseWith } from '../../src/core/schema/issues';
import { connectionContract } from '../../src/testing/connection-contract';
import {
    assertFieldWords,
    assertWords,
    checksOf as asChecks,
    type ContractCheck,
    type ContractContext,
    fieldsOfConfig,
    UPPER_CASE,
} from '../../src/testing/contract';
import { extractorContract } from '../../src/testing/extractor-contract';
import { fakeOutbound } from '../../src/testing/fake-outbound';
import { operatorContract } from '../../src/testing/operator-contract';
import { REFERENCE, referenceTo } from '../../src/testing/reference-to';
import { ruleContract } from '../../src/testing/rule-contract';
import { MemoryExports } from '../../src/testing/memory-exports';
import { sinkContract } from '../../src/testing/sink-contract';
import type { SinkHarness } from '../../src/testing/sink-harness';
import { contractStand, ENGINE_STANDS } from './engines/stands';
import { exampleApi } from './example-api';
import { operatorFuzz, ruleFuzz } from './fuzz';

/** Kinds that cannot be tested without a shop. This list may only shrink. */
export const WAIVED = {
    loader: 'Loaders write into a shop; test/contract/loaders.contract.ts tests them with one.',
    script: 'Scripts are functions of the shop, so the registry that Flow builds contains none, and they have no declaration to check.',
    engine: 'There is one engine for inline code; the specs in src/io/sandbox and src/adapters/engines test that it protects the shop.',
} as const satisfies Partial<Record<Kind, string>>;

/** A server that gives everyone the same answer. */
const outbound = fakeOutbound({
    http: async () => ({ status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from('{}') }),
    stream: exampleApi,
});

/** The network for all adapters that use one. It is defined only here. */
const SURROUNDINGS: ContractContext = { outbound };

/** The shop of the examples of the rule `reference`. */
const SHOP = {
    PRODUCT: ['trail-shoe'],
    FACET_VALUE: ['colour:red', 'colour:blue'],
    CUSTOMER: ['anna@example.com'],
};

type Contracts = {
    readonly [K in Exclude<Kind, keyof typeof WAIVED>]: (adapter: ByKind[K]) => readonly ContractCheck[];
};

const CONTRACTS: Contracts = {
    trigger: triggerContract,
    extractor: extractor => extractorContract(extractor, SURROUNDINGS),
    operator: operator => [...operatorContract(operator, SURROUNDINGS), operatorFuzz(operator, SURROUNDINGS)],
    rule: rule => {
        const tried = inShop(rule);
        return [...ruleContract(tried, SURROUNDINGS), ruleFuzz(tried, SURROUNDINGS)];
    },
    connection: connectionContract,
    sink: sink => sinkContract(sink, targetFor(sink)),
};

/** The contract of an adapter's kind; throws if there is none. */
export function checksOf(adapter: AdapterDefinition): readonly ContractCheck[] {
    const contract = Object.hasOwn(CONTRACTS, adapter.kind)
        ? (CONTRACTS[adapter.kind as keyof Contracts] as (adapter: AdapterDefinition) => readonly ContractCheck[])
        : undefined;
    if (contract) return contract(adapter);
    throw new Error(`There is no contract for adapters of the kind ${adapter.kind}, and no reason to have none.`);
}

/** A rule that reads the shop is tested with the fake of the test kit. e2e/suites/validate-route.suite.ts tests it with a shop. */
function inShop(rule: Rule): Rule {
    return rule.code === REFERENCE ? referenceTo(rule, SHOP) : rule;
}

function triggerContract(trigger: TriggerType): readonly ContractCheck[] {
    return asChecks([
        {
            name: 'has an upper case code, a title and a summary that is a sentence',
            run: () => assertWords(trigger, UPPER_CASE),
        },
        {
            name: 'says of every field what it is called and what it does',
            run: () => assertFieldWords(fieldsOfConfig(trigger)),
        },
        {
            name: 'rejects an unknown field',
            run: () => {
                const result = parseWith(trigger.config, { nonsense: 1 });
                assert.ok(!result.ok && result.issues.some(({ path }) => path === 'nonsense'));
            },
        },
    ]);
}

/**
 * The harness of a sink. A built-in sink with a test double gets that; any other one gets a target that accepts every request, and is tested with its
 * examples.
 */
export function targetFor({ code, examples = [] }: Sink): SinkHarness {
    const stand = own(ENGINE_STANDS, code);
    if (stand) return contractStand(stand());
    const [example] = examples;
    if (!example) throw new Error(`The sink ${code} has no example to be tried with.`);
    let requests = 0;
    let isDown = false;
    const http = async () => {
        requests++;
        if (isDown) throw flowError('REMOTE_BUSY', { host: 'the target', problem: 'is down', attempts: 1 });
        return { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from('{}') };
    };
    return {
        config: example.config as SinkHarness['config'],
        records: example.in.filter((_, i) => example.does[i] === 'deliver'),
        http,
        exports: new MemoryExports(() => {
            requests++;
            if (isDown) throw flowError('STORAGE_FAILED', { what: 'write', problem: 'EIO' });
        }),
        requests: () => requests,
        breakDown: down => {
            isDown = down;
        },
    };
}
