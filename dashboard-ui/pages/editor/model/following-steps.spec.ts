import { followingSteps } from './following-steps';

const step = (key: string, kind = 'TRANSFORM') => ({ key, kind, config: {} });
const definition = {
    steps: [
        step('file', 'EXTRACT'),
        step('map'),
        step('check'),
        step('products', 'LOAD'),
        step('stock', 'LOAD'),
        step('alone'),
    ],
    edges: [
        { from: 'file', to: 'map' },
        { from: 'map', to: 'stock' },
        { from: 'map', to: 'check' },
        { from: 'check', to: 'products' },
        { from: 'products', to: 'map' },
    ],
};
const keysAfter = (key: string): readonly string[] => followingSteps(definition, key, 'LOAD').map(one => one.key);

describe('the steps that follow a step', () => {
    it('are the nearest first, on every way', () => expect(keysAfter('map')).toEqual(['stock', 'products']));

    it('do not exist after the last step, and for a step without edges', () => {
        expect(keysAfter('stock')).toEqual([]);
        expect(keysAfter('alone')).toEqual([]);
    });

    it('end at the first one of a way', () => expect(keysAfter('products')).toEqual(['stock']));
});
