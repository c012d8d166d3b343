import { Customer, CustomerGroup } from '@vendure/core';
import type { StatementProgram } from '../../core/adapter/loader';
import { column, name, select, sql } from '../../database/statement';
import { joinTableOf, tableOf } from '../../database/table';
import { deleteRows, type Id } from '../../database/write';
import { type GroupMove, groupsChanged } from '../effects/effect';
import type { EntityState } from '../entities/entity-state';
import type { ExtendedBatch, EntityExtension } from '../entities/entity-extension';
import { type CustomerTables, type CustomerLine, writeHistory } from './customer-history';

interface NamedMove extends GroupMove {
    readonly groupName: string;
}

const moveOf = (customer: EntityState, group: EntityState, isJoined: boolean): NamedMove => ({
    customerId: customer.id!,
    groupId: group.id!,
    groupName: group.key,
    isJoined,
});

/** Which groups a customer has joined and left. */
export function groupMoves(state: EntityState): readonly NamedMove[] {
    const groups = state.members.get('groups');
    return [
        ...(groups?.added ?? []).map(group => moveOf(state, group, true)),
        ...(groups?.removed ?? []).map(group => moveOf(state, group, false)),
    ];
}

/** The entry for it in a customer's history. */
export function groupLine({ customerId, groupName, isJoined }: NamedMove): CustomerLine {
    return {
        customerId,
        type: isJoined ? 'CUSTOMER_ADDED_TO_GROUP' : 'CUSTOMER_REMOVED_FROM_GROUP',
        data: { groupName },
    };
}

/** Takes customers out of all groups. */
export function* removeFromGroups(
    { platform: { dataSource }, dialect }: CustomerTables,
    ids: readonly Id[],
): StatementProgram<readonly NamedMove[]> {
    if (ids.length === 0) return [];
    const joint = joinTableOf(dataSource, Customer, 'groups');
    const groups = tableOf(dataSource, CustomerGroup);
    const j = (property: string) => column('j', joint.column(property).name);
    const g = (property: string) => column('g', groups.column(property).name);
    const left = yield* select<{ id: Id; group: Id; name: string }>(
        sql`SELECT ${j(joint.owner)} AS ${name('id')}, ${g('id')} AS ${name('group')}, ${g('name')} AS ${name('name')} FROM ${joint.name} AS ${name('j')}
        JOIN ${groups.name} AS ${name('g')} ON ${g('id')} = ${j(joint.member)} WHERE ${dialect.oneOf(j(joint.owner), ids)}`,
    );
    yield* deleteRows({ table: joint, dialect }, joint.owner, ids);
    return left.map(({ id, group, name: groupName }) => ({
        customerId: id,
        groupId: group,
        groupName,
        isJoined: false,
    }));
}

/** The notices about members of groups: history entries of customers, and events. */
export const groupMembers: EntityExtension = {
    open({ store, sideEffects }) {
        const batch: ExtendedBatch = {
            *written({ created, changed }) {
                const movesOf = (group: EntityState): readonly NamedMove[] => {
                    const customers = group.members.get('customers');
                    return [
                        ...(customers?.added ?? []).map(customer => moveOf(customer, group, true)),
                        ...(customers?.removed ?? []).map(customer => moveOf(customer, group, false)),
                    ];
                };
                yield* writeHistory(store, [...created, ...changed].flatMap(movesOf).map(groupLine));
                // The event of a new group covers its first members.
                return groupsChanged(changed.flatMap(movesOf), sideEffects);
            },
        };
        return { batch: () => batch };
    },
};
