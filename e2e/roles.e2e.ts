import type { SimpleGraphQLClient } from '@vendure/testing';
import { SUPER_ADMIN_USER_IDENTIFIER, SUPER_ADMIN_USER_PASSWORD } from '@vendure/common/lib/shared-constants';
import {
    getNamedType,
    type GraphQLNamedType,
    type GraphQLObjectType,
    type GraphQLSchema,
    isInputObjectType,
    isObjectType,
    parse,
} from 'graphql';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FlowPlugin } from '../src';
import { flowPermissions } from '../src/plugin/permissions';
import {
    flowOperations,
    flowTypes,
    operationText,
    routesOf,
    schemaOf,
    seenIn,
    selectionOf,
    waysInto,
} from './config/admin-schema';
import {
    anonymousClient,
    DEFAULT_CHANNEL,
    logIn,
    makeAdministrator,
    makeChannel,
    quickPasswords,
    refusals,
} from './config/administrators';
import type { Database } from './config/databases';
import { type FlowServer, flowServer } from './config/flow-server';
import { caller, EVERYTHING, type Fixture, makeFixture, READABLE_VARIABLE, relabel } from './config/role-fixture';
import {
    GUARDED_FIELDS,
    OPEN_FIELDS,
    OPEN_ROUTES,
    OPERATIONS,
    type OperationRow,
    ROUTES,
    type RouteRow,
} from './config/role-matrix';
import { onOneDatabase } from './config/matrix';
import { PERSON_NAMES, type PrintedRow, printedRows } from './config/persons-table';
import { type Person, PERSONS } from '../scripts/rights-table';

const OTHER_CHANNEL = 'channel-b';
const PERMISSIONS = flowPermissions.flatMap(permission => permission.getMetadata().map(({ name }) => name));
/** A role that can sign in and nothing else. */
const NONE = 'Authenticated';
const ROLES = [NONE, ...PERMISSIONS];

const directory = mkdtempSync(join(tmpdir(), 'flow-roles-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const plugin = FlowPlugin.init({
    adapters: [caller, relabel],
    runtime: { sweepMs: 500 },
    // Some queries here request every field. Their highest cost is tested in bounded-answers.suite.ts.
    api: { maxCost: 1_000_000 },
    files: { storage: { type: 'local', directory } },
});

const fieldOf = ({ name }: OperationRow): string => name.split(':')[0]!;
const sorted = (names: Iterable<string>): readonly string[] => [...names].sort();

function withToken(client: SimpleGraphQLClient, token: string): SimpleGraphQLClient {
    client.setChannelToken(token);
    return client;
}

function remembered<T>(known: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
    const value = known.get(key) ?? make();
    known.set(key, value);
    return value;
}

function roles(database: Database): void {
    let shop: FlowServer;
    let schema: GraphQLSchema;
    let otherChannelId: string;
    let otherSuperadmin: SimpleGraphQLClient;
    let home: Fixture;
    let other: Fixture;
    const names = new Map<string, Promise<string>>();
    const clients = new Map<string, Promise<SimpleGraphQLClient>>();

    const environment = { [READABLE_VARIABLE]: 'readable', FLOW_MASTER_KEY: '5a'.repeat(32) };

    beforeAll(async () => {
        Object.assign(process.env, environment);
        shop = await flowServer(database, plugin, { config: quickPasswords });
        schema = await schemaOf(shop.adminClient);
        otherChannelId = (await makeChannel(shop, OTHER_CHANNEL)).id;
        home = await makeFixture(shop, DEFAULT_CHANNEL);
        other = await makeFixture(shop, OTHER_CHANNEL);
        otherSuperadmin = anonymousClient(shop);
        await otherSuperadmin.asUserWithCredentials(SUPER_ADMIN_USER_IDENTIFIER, SUPER_ADMIN_USER_PASSWORD);
        withToken(otherSuperadmin, OTHER_CHANNEL);
    });
    afterAll(async () => {
        await shop?.destroy();
        for (const variable of Object.keys(environment)) delete process.env[variable];
    });

    /**
     * A user who has exactly these permissions in one channel and none elsewhere, in the channel of the token. Each
     * pair has a separate session: one that changes channels is written every time.
     */
    function administrator(
        permissions: readonly string[],
        { of, token = of }: { of: string; token?: string },
    ): Promise<SimpleGraphQLClient> {
        const desired = sorted(new Set(permissions.filter(name => name !== NONE)));
        const key = `${of}:${desired.join()}`;
        const channelIds = of === OTHER_CHANNEL ? [otherChannelId] : undefined;
        const named = remembered(names, key, async () => {
            const name = `admin-${names.size}`;
            await makeAdministrator(shop, { name, permissions: desired, ...(channelIds && { channelIds }) });
            return name;
        });
        return remembered(clients, `${key}@${token}`, async () => withToken(await logIn(shop, await named), token));
    }

    /** Returns the result of the operation, or its error code. */
    async function call(
        client: SimpleGraphQLClient,
        row: OperationRow,
        args: object,
    ): Promise<{ readonly code: string; readonly data?: unknown }> {
        const name = fieldOf(row);
        const type = typeOf(row);
        const fields = isObjectType(type) ? type.getFields() : {};
        const selection = !isObjectType(type)
            ? ''
            : fields['items'] && type.getInterfaces().length > 0
              ? 'totalItems items { id }'
              : fields['id']
                ? 'id'
                : '__typename';
        let data: unknown;
        const [rejection] = await refusals(
            client.query(parse(operationText(schema, { name, args, selection })), args).then(answer => {
                data = answer[name];
            }),
        );
        return rejection ? { code: rejection.code } : { code: 'OK', data };
    }

    const typeOf = (row: OperationRow): GraphQLNamedType =>
        getNamedType(flowOperations(schema).get(fieldOf(row))!.type);
    const codeOf = async (client: SimpleGraphQLClient, row: OperationRow, args: object): Promise<string> =>
        (await call(client, row, args)).code;
    const everythingAtHome = (): Promise<unknown> => shop.adminClient.query(EVERYTHING);

    describe('the table of roles', () => {
        it('has a row for each query and mutation', () => {
            expect(sorted(new Set(OPERATIONS.map(fieldOf)))).toEqual(sorted(flowOperations(schema).keys()));
        });

        it('has each field of each type, open or guarded', () => {
            const listed = Object.entries(OPEN_FIELDS).flatMap(([type, fields]) =>
                fields.split(' ').map(field => `${type}.${field}`),
            );
            const present = flowTypes(schema).flatMap(type =>
                Object.keys(type.getFields()).map(field => `${type.name}.${field}`),
            );
            expect(sorted([...listed, ...Object.keys(GUARDED_FIELDS)])).toEqual(sorted(present));
        });

        it('has every route of the server under /flow', () => {
            const routes = routesOf(shop.app);
            expect(routes).toContain('GET /health');
            const known = [...ROUTES.map(({ name }) => name), ...OPEN_ROUTES];
            expect(routes.filter(route => /flow/i.test(route))).toEqual(known);
        });

        it('is complete: no other type leads to Flow, nor does the shop API', async () => {
            expect(waysInto(schema)).toEqual([]);
            const shopSchema = await schemaOf(shop.shopClient);
            expect([...flowTypes(shopSchema), ...flowOperations(shopSchema).values(), ...waysInto(shopSchema)]).toEqual(
                [],
            );
        });
    });

    describe.each(OPERATIONS.map(row => [row.name, row] as const))('%s', (_, row) => {
        const expected = row.answer ?? 'OK';
        /** Calls that are rejected, or meant for another channel, leave no trace. */
        const leavingNoTrace = async (calls: () => Promise<void>): Promise<void> => {
            const isMutation = fieldOf(row) in schema.getMutationType()!.getFields();
            const before = isMutation && (await everythingAtHome());
            await calls();
            expect(isMutation && (await everythingAtHome())).toEqual(before);
        };

        it('is only for those who are listed', () =>
            leavingNoTrace(async () => {
                for (const role of ROLES.filter(name => !row.allow.includes(name))) {
                    const client = await administrator([role], { of: DEFAULT_CHANNEL });
                    expect([role, await codeOf(client, row, row.args(home))]).toEqual([role, 'FORBIDDEN']);
                }
                expect(await codeOf(withToken(anonymousClient(shop), DEFAULT_CHANNEL), row, row.args(home))).toBe(
                    'FORBIDDEN',
                );
            }));

        it('is allowed for each of them, and for a superadmin', async () => {
            for (const role of row.allow) {
                const client = await administrator([role, ...(row.beside ?? [])], { of: DEFAULT_CHANNEL });
                expect([role, await codeOf(client, row, row.args(home))]).toEqual([role, expected]);
            }
            expect(await codeOf(shop.adminClient, row, row.args(home))).toBe(expected);
        });

        it('is closed to users who have all permissions in another channel, and none here', () =>
            leavingNoTrace(async () => {
                const client = await administrator(PERMISSIONS, { of: OTHER_CHANNEL, token: DEFAULT_CHANNEL });
                expect(await codeOf(client, row, row.args(home))).toBe('FORBIDDEN');
            }));

        it('finds nothing of another channel', () =>
            leavingNoTrace(async () => {
                const allowed = row.allowForeign ?? row.allow;
                const others = PERMISSIONS.filter(name => !allowed.includes(name));
                expect(await codeOf(await administrator(others, { of: OTHER_CHANNEL }), row, row.args(home))).toBe(
                    'FORBIDDEN',
                );
                for (const permissions of [...allowed.map(role => [role, ...(row.beside ?? [])]), PERMISSIONS]) {
                    await expectNotFound(
                        row,
                        await call(await administrator(permissions, { of: OTHER_CHANNEL }), row, row.args(home)),
                    );
                }
                await expectNotFound(row, await call(otherSuperadmin, row, row.args(home)));
            }));

        if (row.mixed) {
            it('does not accept a revision of another channel for one of its pipelines', async () => {
                const args = row.mixed!(other, home);
                expect(await codeOf(otherSuperadmin, row, args)).toBe('REVISION_NOT_FOUND');
            });
        }
    });

    async function expectNotFound(
        row: OperationRow,
        { code, data }: { readonly code: string; readonly data?: unknown },
    ): Promise<void> {
        if (row.foreign === 'own') return expect(code).toBe(row.answer ?? 'OK');
        if (row.foreign === 'null') return expect([code, data]).toEqual(['OK', null]);
        if (row.foreign !== 'nothing') return expect(code).toBe(row.foreign);
        expect(code).toBe('OK');
        const idsOf = (list: unknown): readonly string[] =>
            (list as { items: Array<{ id: string }> }).items.map(({ id }) => id);
        const atHome = idsOf((await call(shop.adminClient, row, row.args(home))).data);
        expect(atHome.length).toBeGreaterThan(0);
        expect(idsOf(data).filter(id => atHome.includes(id))).toEqual([]);
        expect((data as { totalItems: number }).totalItems).toBe(idsOf(data).length);
    }

    describe.each(ROUTES.map(row => [row.name, row] as const))('%s', (name, row) => {
        const answer = async (
            client: SimpleGraphQLClient,
            { path = row.path(home), token }: { path?: string; token: string },
        ): Promise<{ status: number; text: string }> => {
            const authToken = client.getAuthToken();
            const headers = { 'vendure-token': token, ...(authToken && { authorization: `Bearer ${authToken}` }) };
            const response = await fetch(shop.url + path, { method: name.split(' ')[0]!, headers });
            return { status: response.status, text: await response.text() };
        };
        const statusOf = async (client: SimpleGraphQLClient, place: Parameters<typeof answer>[1]): Promise<number> =>
            (await answer(client, place)).status;
        const here = { token: DEFAULT_CHANNEL };
        const asAllowed = { ...here, path: row.dispensable };

        it('is only for those who are listed', async () => {
            const before = await everythingAtHome();
            for (const role of ROLES.filter(each => !row.allow.includes(each))) {
                expect([role, await statusOf(await administrator([role], { of: DEFAULT_CHANNEL }), here)]).toEqual([
                    role,
                    403,
                ]);
            }
            expect(await statusOf(anonymousClient(shop), here)).toBe(401);
            expect(await everythingAtHome()).toEqual(before);
        });

        it('is allowed for each of them, and for a superadmin', async () => {
            for (const role of row.allow)
                expect([role, await statusOf(await administrator([role], { of: DEFAULT_CHANNEL }), asAllowed)]).toEqual(
                    [role, row.status],
                );
            expect(await statusOf(shop.adminClient, asAllowed)).toBe(row.status);
        });

        it('is closed to users who have all permissions in another channel, and none here', async () => {
            const before = await everythingAtHome();
            expect(
                await statusOf(await administrator(PERMISSIONS, { of: OTHER_CHANNEL, token: DEFAULT_CHANNEL }), here),
            ).toBe(403);
            expect(await everythingAtHome()).toEqual(before);
        });

        it('finds nothing of another channel', async () => {
            const before = await everythingAtHome();
            const there = { token: OTHER_CHANNEL };
            for (const client of [
                ...(await Promise.all(row.allow.map(role => administrator([role], { of: OTHER_CHANNEL })))),
                otherSuperadmin,
            ]) {
                const { status, text } = await answer(client, there);
                expect(status).toBe((row as RouteRow).foreign ?? row.status);
                expect(text).not.toContain(`"id":"${home.fileId}"`);
            }
            expect(await everythingAtHome()).toEqual(before);
        });
    });

    describe('a guarded field', () => {
        const guarded = new Set(Object.keys(GUARDED_FIELDS));
        const answering = OPERATIONS.filter(row => row.answer === undefined);
        const leadsToFlow = (row: OperationRow): boolean => flowTypes(schema).some(type => type === typeOf(row));
        const seenBy = async (client: SimpleGraphQLClient, row: OperationRow): Promise<ReturnType<typeof seenIn>> => {
            const [name, type, args] = [fieldOf(row), typeOf(row) as GraphQLObjectType, row.args(home)];
            const text = operationText(schema, { name, args, selection: selectionOf(type) });
            const answer = await client.query(parse(text), args);
            return seenIn(type, answer[name], guarded);
        };

        const answeringOnce = answering.filter(
            (row, i) => answering.findIndex(other => fieldOf(other) === fieldOf(row)) === i,
        );

        it('is visible somewhere for a superadmin', async () => {
            // The fixture has no draft of an import; its check is read in suites/imports.suite.ts.
            const seen = new Set<string>(['FlowImportDraft.check']);
            for (const row of answeringOnce.filter(leadsToFlow)) {
                for (const { guards } of await seenBy(shop.adminClient, row)) seen.add(guards.at(-1)!);
            }
            expect(sorted(seen)).toEqual(sorted(guarded));
        });

        it.each(answeringOnce.map(row => [fieldOf(row), row] as const))(
            'is visible in %s only with its permission',
            async (_, row) => {
                const all = leadsToFlow(row) ? await seenBy(shop.adminClient, row) : [];
                const keys = sorted(new Set(Object.values(GUARDED_FIELDS)));
                const noKeys = PERMISSIONS.filter(name => !keys.includes(name));
                for (const reach of all.length === 0 ? [] : row.allow) {
                    for (const more of [[], noKeys, ...keys.map(key => [key])]) {
                        const has = [reach, ...more];
                        const seen = await seenBy(await administrator(has, { of: DEFAULT_CHANNEL }), row);
                        const visible = all.filter(({ guards }) =>
                            guards.every(field => has.some(name => name === GUARDED_FIELDS[field])),
                        );
                        expect([has, sorted(seen.map(({ path }) => path))]).toEqual([
                            has,
                            sorted(visible.map(({ path }) => path)),
                        ]);
                    }
                }
            },
        );

        it('cannot be guessed by filtering or sorting', async () => {
            for (const [id, permission] of Object.entries(GUARDED_FIELDS)) {
                const [type, field] = id.split('.') as [string, string];
                const inputHas = (input: string): boolean => {
                    const found = schema.getType(`${type}${input}Parameter`);
                    return isInputObjectType(found) && field in found.getFields();
                };
                const options = [
                    ...(inputHas('Filter') ? [{ filter: { [field]: { isNull: false } } }] : []),
                    ...(inputHas('Sort') ? [{ sort: { [field]: 'ASC' } }] : []),
                ];
                for (const row of answering.filter(list => typeOf(list).name === `${type}List`)) {
                    const client = await administrator(
                        row.allow.filter(name => name !== permission),
                        { of: DEFAULT_CHANNEL },
                    );
                    for (const option of options) {
                        const code = await codeOf(client, row, { ...row.args(home), options: option });
                        expect([row.name, option, code]).not.toEqual([row.name, option, 'OK']);
                    }
                }
            }
        });
    });

    describe('the table of people in security.md', () => {
        // Routes that need two permissions list none.
        const REJECTS = ['ReadFlowRun', 'ReadFlowRecord'];
        const CREATE = OPERATIONS.find(({ name }) => name === 'createFlowPipeline')!;
        const hooks = { RUN_STARTED: [{ type: 'INTERCEPTOR', code: 'return records;' }] };

        /** Whether a person may use each operation and route, and may save code, according to the cells. */
        const expectedOf = (rows: readonly PrintedRow[], person: Person): Readonly<Record<string, boolean>> => {
            const can = (name: string): boolean =>
                rows.find(({ permissions }) => permissions.length === 1 && permissions[0] === name)!.can[person];
            const operations = OPERATIONS.map((row): readonly [string, boolean] => {
                const printed = rows.find(({ operation }) => operation === fieldOf(row));
                const { allow, beside = [] } = row;
                return [row.name, printed ? printed.can[person] : allow.some(can) && beside.every(can)];
            });
            const routes = ROUTES.map(({ name, allow }): readonly [string, boolean] => [
                name,
                allow.length === 0 ? REJECTS.every(can) : allow.some(can),
            ]);
            const code = can('CreateFlowPipeline') && can('EditFlowScript');
            return Object.fromEntries([...operations, ...routes, ['code', code]]);
        };
        const clientOf = async (person: Person): Promise<SimpleGraphQLClient> => {
            const permissions = PERSONS[person];
            if (permissions === 'all') return shop.adminClient;
            return permissions.length === 0
                ? withToken(anonymousClient(shop), DEFAULT_CHANNEL)
                : administrator(permissions, { of: DEFAULT_CHANNEL });
        };
        const statusOf = async (client: SimpleGraphQLClient, row: RouteRow): Promise<number> => {
            const authToken = client.getAuthToken();
            const headers = {
                'vendure-token': DEFAULT_CHANNEL,
                ...(authToken && { authorization: `Bearer ${authToken}` }),
            };
            const url = shop.url + (row.dispensable ?? row.path(home));
            return (await fetch(url, { method: row.name.split(' ')[0]!, headers })).status;
        };

        it.each(PERSON_NAMES)('is right about what the %s can do', async person => {
            const client = await clientOf(person);
            const can: Record<string, boolean> = {};
            for (const row of OPERATIONS) can[row.name] = (await codeOf(client, row, row.args(home))) !== 'FORBIDDEN';
            for (const row of ROUTES) can[row.name] = ![401, 403].includes(await statusOf(client, row));
            const input = { code: `script-of-${person}`, definition: { hooks } };
            can['code'] = (await codeOf(client, CREATE, { input })) !== 'FORBIDDEN';
            expect(can).toEqual(expectedOf(printedRows(), person));
        });

        it('has in each cell whether the person has the permissions', () => {
            for (const { action, permissions, can } of printedRows())
                for (const person of PERSON_NAMES) {
                    const has: readonly string[] | 'all' = PERSONS[person];
                    const expected = has === 'all' || permissions.every(name => has.includes(name));
                    expect([action, person, can[person]]).toEqual([action, person, expected]);
                }
        });

        it('has no row that no call proves', () => {
            const rows = printedRows();
            const isShown = (row: PrintedRow, i: number, person: Person): boolean => {
                const wrong = { ...row, can: { ...row.can, [person]: !row.can[person] } };
                return (
                    JSON.stringify(expectedOf(rows.with(i, wrong), person)) !== JSON.stringify(expectedOf(rows, person))
                );
            };
            const open = rows.filter((row, i) => !PERSON_NAMES.some(person => isShown(row, i, person)));
            expect(open).toEqual([]);
        });
    });
}

onOneDatabase('roles and channels', roles);
