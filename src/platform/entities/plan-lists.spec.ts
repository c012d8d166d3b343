import { customer, customerGroup } from '../entity-descriptions/customer';
import { Columns } from './columns';
import { Diff } from './diff';
import { EntityState } from './entity-state';
import { Members } from './columns';
import { ListPlan } from './plan-lists';
import { UnitOfWork } from './unit-of-work';

describe('a list of members', () => {
    it('keeps those that the channel does not see, and does not report them', () => {
        const work = new UnitOfWork();
        const of = (id: number, key: string, isInChannel: boolean) => {
            const state = new customer.state(id, new Columns({}), key, isInChannel);
            work.of(customer).addRead(state, key);
            return state;
        };
        const [anna, hidden] = [of(1, 'anna@example.com', true), of(2, 'far@example.com', false)];
        of(3, 'bob@example.com', true);
        const customers = { entity: customer, platform: { ctx: { languageCode: 'en' } } };
        const store = { entity: customerGroup, members: new Map([['customers', { store: customers }]]) };
        const plan = new ListPlan({ store, strategy: 'UPSERT', modes: new Map() } as never, work);
        const group = new EntityState(9, new Columns({}), 'Regulars');
        group.setMembers('customers', new Members<EntityState>([anna, hidden]));
        const diff = new Diff();
        const requested = { members: new Map([['customers', ['bob@example.com']]]), children: new Map() };
        plan.assign(group, requested as never, diff);
        expect(diff.change('Regulars', false)).toEqual({
            action: 'update',
            key: 'Regulars',
            before: { customers: ['anna@example.com'] },
            after: { customers: ['bob@example.com'] },
        });
        expect(group.members.get('customers')!.now.map(({ id }) => id)).toEqual([2, 3]);
    });
});
