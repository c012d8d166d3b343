import { AuthenticatedSession, ConfigService, Customer, NativeAuthenticationMethod, User } from '@vendure/core';
import { logEvent } from '../../core/adapter/log-event';
import { CUSTOMER_ROLE_CODE } from '@vendure/common/lib/shared-constants';
import type { StatementProgram } from '../../core/adapter/loader';
import type { JsonObject } from '../../core/value/json';
import { column, name, select, send, sql } from '../../database/statement';
import { joinTableOf, type Table, tableOf } from '../../database/table';
import { type Id, insertNumbered, updateRows } from '../../database/write';
import type { DesiredEntity } from '../entities/entity-record';
import { EntityState } from '../entities/entity-state';
import { quoted } from '../entities/record-issues';
import { listMode } from '../entities/load-arguments';
import { FieldReader } from '../entities/read-field';
import { withoutMembers } from '../entities/read-members';
import type { ExtendedBatch, EntityExtension, WrittenEntities } from '../entities/entity-extension';
import { idsOf } from '../entities/write-entities';
import { addPairs } from '../entities/write-rows';
import { groupsChanged } from '../effects/effect';
import { addressLine, keepOneDefault } from './address';
import { groupLine, groupMoves, removeFromGroups } from './customer-groups';
import { type CustomerTables, type CustomerLine, writeHistory } from './customer-history';

interface Account {
    /** Undefined for an account that will be created. */
    readonly userId: Id | undefined;
    readonly wasVerified: boolean;
    isVerified: boolean;
}

/** A customer with the account, where there is one; a guest has none. */
export class CustomerState extends EntityState {
    account: Account | null | undefined;
}

/** The values that a record sets for a customer. */
interface DesiredCustomer extends DesiredEntity {
    readonly verified: boolean | undefined;
}

/** Any that a mail could be sent to. Customers that are there are found by what they have. */
const MAIL = /^[^\s@]+@[^\s@]+$/;
const NATIVE: JsonObject = { strategy: 'native' };

/**
 * The accounts of customers, and the entries in their history, as CustomerService and UserService store them. No mail
 * is sent.
 */
export const accounts: EntityExtension<CustomerState, DesiredCustomer> = {
    open({ store, names, sideEffects, modes, strategy, cx }) {
        const replaces = listMode(modes.get('addresses'), strategy) === 'REPLACE';
        let isWarned = false;
        const batch: ExtendedBatch<CustomerState, DesiredCustomer> = {
            read(records, found) {
                const twice = replaces && !isWarned ? secondWithAddresses(records) : undefined;
                if (twice !== undefined) {
                    isWarned = true;
                    logEvent(cx.log, 'ADDRESSES_REPLACED', { field: names['emailAddress']!, value: quoted(twice) });
                }
                return readAccounts(store, records.flatMap(found));
            },
            check({ desired: { key }, faults: issues }, state) {
                if (state || key === undefined || MAIL.test(key)) return;
                const problem = `is ${quoted(key)}; allowed for a new customer: an e-mail address, as in "anna@example.com"`;
                issues.add(names['emailAddress']!, problem, key);
            },
            assigned({ desired: { verified } }, state, diff) {
                const addresses = state.members.get('addresses');
                if (addresses?.now.some(({ columns }) => columns.changed.size > 0) || addresses?.isChanged)
                    keepOneDefault(addresses);
                if (verified === undefined) return;
                const before = state.account?.isVerified ?? null;
                if (before === verified) return;
                if (state.account) state.account.isVerified = verified;
                else state.account = { userId: undefined, wasVerified: false, isVerified: verified };
                diff.add('verified', before, verified);
            },
            *written(written) {
                yield* writeAccounts(store, written);
                const gone = idsOf(written.deleted);
                const left = yield* removeFromGroups(store, gone);
                yield* writeHistory(store, left.map(groupLine));
                yield* closeAccounts(store, gone);
                const moved = [...written.created, ...written.changed].flatMap(groupMoves);
                return groupsChanged([...moved, ...left], sideEffects);
            },
        };
        return {
            read: (data, base, issues) => ({
                ...base,
                verified: new FieldReader(data, issues).flag(names['verified']!),
            }),
            batch: () => batch,
        };
    },
};

/** The customer to whom several records of a batch give addresses that replace each other. */
function secondWithAddresses(records: readonly DesiredCustomer[]): string | undefined {
    const seen = new Set<string>();
    for (const { key, isDelete, children } of records) {
        if (key === undefined || isDelete || (children.get('addresses') ?? []).length === 0) continue;
        if (seen.has(key)) return key;
        seen.add(key);
    }
    return undefined;
}

/** Reads the accounts of some customers, where that has not been done yet. */
function* readAccounts(
    { platform, dialect }: CustomerTables,
    states: readonly CustomerState[],
): StatementProgram<void> {
    const requested = withoutMembers(states, ({ account }) => account === undefined);
    if (requested.length === 0) return;
    const customers = tableOf(platform.dataSource, Customer);
    const users = tableOf(platform.dataSource, User);
    const of = (alias: string, table: Table, property: string) => column(alias, table.column(property).name);
    const rows = yield* select<{ id: Id; userId: Id; verified: unknown }>(
        sql`SELECT ${of('e', customers, 'id')} AS ${name('id')}, ${of('u', users, 'id')} AS ${name('userId')}, ${of('u', users, 'verified')} AS ${name('verified')}
        FROM ${customers.name} AS ${name('e')} JOIN ${users.name} AS ${name('u')} ON ${of('u', users, 'id')} = ${of('e', customers, 'user')}
        WHERE ${dialect.oneOf(of('e', customers, 'id'), idsOf(requested))}`,
    );
    const found = new Map(rows.map(row => [row.id, row] as const));
    for (const state of requested) {
        const row = found.get(state.id);
        const isVerified = row !== undefined && Boolean(users.fromColumn('verified', row.verified));
        state.account = row ? { userId: row.userId, wasVerified: isVerified, isVerified } : null;
    }
}

/** Writes new accounts, the changes of others, and the history of the batch. */
function* writeAccounts(
    tables: CustomerTables,
    { created, changed }: Pick<WrittenEntities<CustomerState>, 'created' | 'changed'>,
): StatementProgram<void> {
    const { authOptions } = tables.platform.injector.get(ConfigService);
    for (const state of created)
        state.account ??= { userId: undefined, wasVerified: false, isVerified: !authOptions.requireVerification };
    const fresh = [...created, ...changed].filter(({ account }) => account && account.userId === undefined);
    yield* makeAccounts(tables, fresh);
    const verified = changed.filter(
        ({ account }) => account?.userId !== undefined && account.isVerified !== account.wasVerified,
    );
    yield* updateRows(
        { table: tableOf(tables.platform.dataSource, User), dialect: tables.dialect },
        verified.map(({ account }) => ({ id: account!.userId, verified: account!.isVerified })),
    );
    const isFresh = new Set(fresh);
    yield* writeHistory(tables, [
        ...created.flatMap(state => historyOf(state, { isNew: true, isRegistered: true }, tables)),
        ...changed.flatMap(state => historyOf(state, { isNew: false, isRegistered: isFresh.has(state) }, tables)),
    ]);
}

/** Users with an empty password: no login is possible before a password is set. */
function* makeAccounts(
    { platform, dialect }: CustomerTables,
    states: readonly CustomerState[],
): StatementProgram<void> {
    if (states.length === 0) return;
    const { dataSource } = platform;
    const users = tableOf(dataSource, User);
    const ids = yield* insertNumbered(
        { table: users, dialect },
        states.map(({ key, account }) => ({ identifier: key, verified: account!.isVerified })),
    );
    const methods = tableOf(dataSource, NativeAuthenticationMethod);
    const { property, value } = methods.kind!;
    yield* insertNumbered(
        { table: methods, dialect },
        states.map(({ key }, i) => ({ [property]: value, identifier: key, passwordHash: '', user: ids[i] })),
    );
    const roles = joinTableOf(dataSource, User, 'roles');
    const role = tableOf(dataSource, dataSource.getMetadata(User).findRelationWithPropertyPath('roles')!.type);
    const [customerRole] = yield* select<{ id: Id }>(
        sql`SELECT ${role.column('id')} AS ${name('id')} FROM ${role.name} WHERE ${role.column('code')} = ${CUSTOMER_ROLE_CODE}`,
    );
    yield* addPairs(
        { dialect },
        roles,
        ids.map(id => [id, customerRole!.id] as const),
    );
    const customers = tableOf(dataSource, Customer);
    yield* updateRows(
        { table: customers, dialect },
        states.map(({ id }, i) => ({ id, user: ids[i] })),
    );
}

function historyOf(
    state: CustomerState,
    { isNew, isRegistered }: { readonly isNew: boolean; readonly isRegistered: boolean },
    { platform }: CustomerTables,
): readonly CustomerLine[] {
    const customerId = state.id!;
    const { account, columns } = state;
    const told: CustomerLine[] = [];
    const tell = (type: string, data: JsonObject): unknown => told.push({ customerId, type, data });
    if (isRegistered) tell('CUSTOMER_REGISTERED', NATIVE);
    if (account?.isVerified === true && !account.wasVerified) tell('CUSTOMER_VERIFIED', NATIVE);
    if (columns.changed.size > 0 && !isNew)
        tell('CUSTOMER_DETAIL_UPDATED', { input: { id: customerId, ...changesOf(state) } });
    const addresses = state.members.get('addresses');
    const line = (one: EntityState): string => addressLine(one, platform.ctx.languageCode);
    for (const one of addresses?.added ?? []) tell('CUSTOMER_ADDRESS_CREATED', { address: line(one) });
    for (const one of addresses?.now ?? [])
        if (!addresses!.added.includes(one) && one.columns.changed.size > 0)
            tell('CUSTOMER_ADDRESS_UPDATED', { address: line(one), input: { id: one.id!, ...changesOf(one) } });
    for (const one of addresses?.removed ?? []) tell('CUSTOMER_ADDRESS_DELETED', { address: line(one) });
    return [...told, ...groupMoves(state).map(groupLine)];
}

function changesOf({ columns }: EntityState): JsonObject {
    return Object.fromEntries([...columns.changed].map(property => [property, columns.get(property)]));
}

/** What is deleted with customers: their accounts, and the sessions of these. */
function* closeAccounts(tables: CustomerTables, ids: readonly Id[]): StatementProgram<void> {
    if (ids.length === 0) return;
    const { dialect, platform } = tables;
    const { dataSource } = platform;
    const customers = tableOf(dataSource, Customer);
    const sessions = tableOf(dataSource, AuthenticatedSession);
    const users = tableOf(dataSource, User);
    const theirs = sql`(SELECT ${customers.column('user')} FROM ${customers.name} WHERE ${dialect.oneOf(customers.column('id'), ids)})`;
    yield* send(sql`DELETE FROM ${sessions.name} WHERE ${sessions.column('user')} IN ${theirs}`);
    yield* send(sql`UPDATE ${users.name} SET ${users.column('deletedAt')} = ${dialect.now}, ${users.column('updatedAt')} = ${dialect.now}
        WHERE ${users.column('id')} IN ${theirs}`);
}
