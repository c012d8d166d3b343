import type { RequestContext } from '@vendure/core';
import type { JsonObject } from '../../core/value/json';
import { Columns } from '../entities/columns';
import { MAX_PLANNED } from '../entities/unit-of-work';
import { PlannedState } from './planned-state';

const values = (of: JsonObject): Columns => new Columns({ ...of });

describe('what a dry run plans for one kind of entity', () => {
    it('is the same for all steps of a run, and separate for each run and kind', () => {
        const [run, other] = [{}, {}] as [RequestContext, RequestContext];
        const [promotion, rate] = [{}, {}];
        const planned = PlannedState.of(run, promotion);
        expect(PlannedState.of(run, promotion)).toBe(planned);
        expect([PlannedState.of(run, rate), PlannedState.of(other, promotion)]).not.toContain(planned);
    });

    it('is found by key: planned, to be deleted, or unknown', () => {
        const planned = new PlannedState();
        planned.put('new', { id: undefined, values: values({ name: 'New' }) });
        planned.put('gone', { id: 7 });
        expect(planned.get('new')!.map(({ id, values: of }) => [id, of.get('name')])).toEqual([[undefined, 'New']]);
        expect([planned.get('gone'), planned.get('stored')]).toEqual([[], undefined]);
        expect([planned.isOf(7), planned.isOf(8)]).toEqual([true, false]);
    });

    it('may have a value that must be unique, under another key', () => {
        const planned = new PlannedState();
        planned.put('summer', { id: 1, values: values({ couponCode: 'SUN' }) });
        const has = (key: string): boolean => planned.has('couponCode', { value: 'SUN', key });
        expect([has('winter'), has('summer')]).toEqual([true, false]);
        planned.put('summer', { id: 1 });
        expect(has('winter')).toBe(false);
    });

    it('forgets what was planned first, and says so, if there is too much', () => {
        const planned = new PlannedState();
        const isForgotten = Array.from({ length: MAX_PLANNED + 1 }, (_, i) => planned.put(`key-${i}`, { id: i }));
        expect([isForgotten.indexOf(true), planned.get('key-0'), planned.get('key-1')]).toEqual([
            MAX_PLANNED,
            undefined,
            [],
        ]);
        // Its row is outdated all the same.
        expect(planned.isOf(0)).toBe(true);
    });
});
