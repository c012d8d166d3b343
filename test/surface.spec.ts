import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { InputValueDefinitionNode, TypeNode } from 'graphql';
import { z } from 'zod';
import { GUARDED_FIELDS } from '../e2e/config/role-matrix';
import {
    allowedByResolver,
    ASKED_FOR_CONTENT,
    descriptionOf,
    enums,
    filtersOfResolvers,
    guardedFields,
    inputs,
    objectTypes,
    operations,
    permissions,
    pipesOfResolvers,
} from '../scripts/api-surface';
import * as flow from '../src';
import { deriveSecret, readAddressed, revealInProcess, Secret } from '../src/core/adapter/secret';
import { ExpectedErrorsFilter } from '../src/plugin/api/expected-errors.filter';
import { flowPermissions } from '../src/plugin/permissions';
import { decodeArgs } from '../src/plugin/api/decoded-args';
import * as testing from '../src/testing';

const all = operations();
const known = permissions.map(({ name }) => name);

describe('the admin API', () => {
    it('has exactly one resolver for each operation of its schema', () => {
        expect([...allowedByResolver().keys()].sort()).toEqual(all.map(({ kind, name }) => `${kind}.${name}`).sort());
    });

    it('requires a permission of Flow for each operation: one without would be open to everyone', () => {
        const open = all.filter(
            ({ permissions: allowed = [] }) => allowed.length === 0 || allowed.some(name => !known.includes(name)),
        );
        expect(open.map(({ name }) => name)).toEqual([]);
    });

    it("keeps mistakes of callers out of the server's error log, for each operation", () => {
        const unfiltered = [...filtersOfResolvers()].filter(([, filters]) => !filters.includes(ExpectedErrorsFilter));
        expect(unfiltered.map(([operation]) => operation)).toEqual([]);
    });

    it('uses each permission', () => {
        const used = [
            ...all.flatMap(({ permissions: allowed = [] }) => allowed),
            ...guardedFields().map(({ permission }) => permission),
        ];
        expect(known.filter(name => !used.includes(name))).toEqual(Object.keys(ASKED_FOR_CONTENT));
    });

    it('documents the permission of each guarded field, as the server checks it', () => {
        expect(
            Object.fromEntries(guardedFields().map(({ type, field, permission }) => [`${type}.${field}`, permission])),
        ).toEqual(GUARDED_FIELDS);
    });

    it('decodes JSON arguments of exactly the operations that have them', () => {
        const pipes = pipesOfResolvers();
        const opening = all.filter(({ kind, name }) => pipes.get(`${kind}.${name}`)?.includes(decodeArgs));
        const given = all.filter(({ field: { arguments: args = [] } }) => args.some(holdsJson));
        expect(given.length).toBeGreaterThan(0);
        expect(opening.map(({ name }) => name)).toEqual(given.map(({ name }) => name));
    });

    it('describes operations, types, enums and inputs', () => {
        // Vendure describes the options of lists itself when it adds their fields.
        const made = inputs.filter(({ fields = [] }) => fields.length > 0);
        const named = [...all.map(({ field }) => field), ...objectTypes, ...enums, ...made];
        expect(named.filter(node => descriptionOf(node) === '').map(({ name }) => name.value)).toEqual([]);
    });
});

describe('the permissions', () => {
    const CRUD = /^(Create|Read|Update|Delete)([a-zA-Z]+)$/;

    it('are grouped in the roles page where Vendure groups permissions, under names of Flow', () => {
        const groups = new Map<string, string[]>();
        for (const name of known) {
            const group = CRUD.exec(name)?.[2] ?? name;
            groups.set(group, [...(groups.get(group) ?? []), name]);
        }
        expect([...groups.keys()].filter(group => !group.includes('Flow'))).toEqual([]);
        expect([...groups].filter(([, names]) => names.length > 1)).toEqual([
            ['FlowPipeline', ['CreateFlowPipeline', 'ReadFlowPipeline', 'UpdateFlowPipeline', 'DeleteFlowPipeline']],
        ]);
    });

    // "Grants permission to read the files …" becomes "Grants permissions on the files …", as the description of the group.
    it('have descriptions that are also correct for their group', () => {
        const grouped = permissions.filter(({ name }) => CRUD.test(name));
        const cut = grouped.map(({ name, description }) => {
            const operation = CRUD.exec(name)![1]!.toLowerCase();
            return { name, rest: description.replace(`Grants permission to ${operation} `, '') };
        });
        expect(cut.filter(({ rest }) => !/^(Flow|the|runs) /.test(rest))).toEqual([]);
        expect(permissions.filter(({ description }) => !description.includes('Flow'))).toEqual([]);
    });
});

describe('the package', () => {
    it('exports every permission of Flow, for roles and resolvers of the shop', () => {
        const exported: readonly unknown[] = Object.values(flow);
        expect(flowPermissions.filter(permission => !exported.includes(permission))).toEqual([]);
    });

    it('gives other adapters a secret only for a host that it may be sent to, and no other access to its value', () => {
        const exported: readonly unknown[] = [...Object.values(flow), ...Object.values(testing)];
        expect([Secret, revealInProcess, deriveSecret, readAddressed].filter(one => exported.includes(one))).toEqual(
            [],
        );
        expect(Object.getOwnPropertyNames(Secret.prototype).sort()).toEqual([
            ...['constructor', 'digest', 'revealFor', 'toJSON', 'toString'],
        ]);
    });

    it('exports the zod that checks configurations, and the guides use no other', () => {
        expect(flow.z).toBe(z);
        const pages = readdirSync('docs/guide', { recursive: true, encoding: 'utf8' }).filter(page =>
            page.endsWith('.md'),
        );
        expect(pages.length).toBeGreaterThan(0);
        expect(pages.filter(page => readFileSync(join('docs/guide', page), 'utf8').includes("'zod'"))).toEqual([]);
    });
});

describe('the test kit', () => {
    it('exports exactly these functions', () => {
        expect(Object.keys(testing).sort()).toEqual([
            'connectionContract',
            'extractorContract',
            'fakeOutbound',
            'loaderContract',
            'operatorContract',
            'ruleContract',
            'runOperator',
            'runPipeline',
            'runStep',
            'sinkContract',
        ]);
    });
});

/** Whether an argument, or a field of its input type, is FlowJSON. */
function holdsJson({ type }: InputValueDefinitionNode): boolean {
    const named = namedType(type);
    const input = inputs.find(({ name }) => name.value === named);
    return named === 'FlowJSON' || (input?.fields ?? []).some(holdsJson);
}

function namedType(type: TypeNode): string {
    return type.kind === 'NamedType' ? type.name.value : namedType(type.type);
}
