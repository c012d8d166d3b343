import { descriptionOf } from '../entities/entity-loader';
import { loaders } from '../index';
import { serviceEntityOf } from '../services/service-loader';
import { DELETED_KINDS } from './entity-delete';

describe('entityDelete', () => {
    it('deletes every kind of entity that is loaded', () => {
        const loaded = loaders.flatMap(loader => descriptionOf(loader) ?? serviceEntityOf(loader) ?? []);
        const deleted = new Set(Object.values(DELETED_KINDS).map(({ entity }) => entity.name as string));
        expect(loaded.filter(({ name }) => !deleted.has(name))).toEqual([]);
        expect(loaded.length).toBeGreaterThan(5);
    });
});
