import { Columns } from '../entities/columns';
import { EntityState } from '../entities/entity-state';
import { UnitOfWork } from '../entities/unit-of-work';
import { facet } from '../entity-descriptions/facet';
import { facetValue } from '../entity-descriptions/facet-value';
import { facetValueNamed } from './facet-values';

/** A shop with the facet "Größe" (code `groesse`) and its value "3/4" (code `34`) and "Grün" (code `gruen`). */
function shop(): UnitOfWork {
    const work = new UnitOfWork();
    const size = new EntityState(1, new Columns({ code: 'groesse' }), 'groesse');
    size.setText('en', { id: 1, columns: new Columns({ name: 'Größe' }) });
    size.isInChannel = true;
    work.of(facet).addRead(size, 'groesse');
    [
        ['34', '3/4'],
        ['gruen', 'Grün'],
    ].forEach(([code, name], i) => {
        const value = new EntityState(i + 1, new Columns({ code: code! }), code!);
        value.setText('en', { id: i + 1, columns: new Columns({ name: name! }) });
        value.setRef('facet', size);
        value.isInChannel = true;
        work.of(facetValue).addRead(value, `${size.token} ${code}`);
    });
    return work;
}

describe('a facet value of a record that may create it', () => {
    const find = (facetText: string, value: string) => {
        const found = facetValueNamed(shop(), { facet: facetText, value }, { creates: true, language: 'en' });
        return [found.owner?.key, found.value?.key];
    };

    it.each([
        ['groesse', 'gruen', ['groesse', 'gruen']],
        ['Größe', 'Grün', ['groesse', 'gruen']],
        ['Größe', '3/4', ['groesse', '34']],
        ['groesse', '34', ['groesse', undefined]],
    ])('is found by code or name: %s:%s', (facetText, value, expected) => {
        expect(find(facetText, value)).toEqual(expected);
    });
});
