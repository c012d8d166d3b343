import { Columns } from '../entities/columns';
import { EntityState } from '../entities/entity-state';
import { keepOneDefault } from './address';

const addressOf = (id: number | undefined, isDefault: boolean): EntityState =>
    new EntityState(id, new Columns({ defaultShippingAddress: isDefault, defaultBillingAddress: false }), '');
const isDefault = ({ columns }: EntityState): unknown => columns.get('defaultShippingAddress');

describe('the default address of a customer', () => {
    it('is a new one where the list of a record replaces the only one there was', () => {
        const [removed, added] = [addressOf(1, true), addressOf(undefined, false)];
        keepOneDefault({ now: [added], removed: [removed] });
        expect(isDefault(added)).toBe(true);
    });

    it('is the oldest that stays where the default one is removed', () => {
        const [removed, stays, added] = [addressOf(1, true), addressOf(2, false), addressOf(undefined, false)];
        keepOneDefault({ now: [added, stays], removed: [removed] });
        expect([isDefault(stays), isDefault(added)]).toEqual([true, false]);
    });
});
