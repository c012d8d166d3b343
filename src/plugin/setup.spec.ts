import { textNaming } from '../../test/kit/naming';
import { ProductEvent, VendureEvent } from '@vendure/core';
import { z } from 'zod';
import { defineConnection } from '../core/adapter/connection';
import { type ConnectionSource, defineConnector } from '../core/pipeline/connector';
import { recordOperator } from '../core/adapter/operator';
import { noSecretIsSent } from '../core/adapter/secret-hosts';
import { secretCode } from '../core/schema/fields';
import { PLATFORM_EVENTS } from '../core/triggers/event';
import { setUp } from './setup';

const toy = defineConnection({
    code: 'TOY',
    aliases: ['TOY_BOX'],
    title: 'Toy',
    summary: 'Leads nowhere.',
    config: z.strictObject({
        host: z.string().meta({ title: 'Host', description: 'Where it is.' }),
        port: z.int().min(1).max(65_535).default(99).meta({ title: 'Port', description: 'Its port.' }),
        mode: z
            .enum(['FAST', 'SLOW'])
            .default('FAST')
            .meta({ title: 'Mode', description: 'How.', aliases: { TURBO: 'FAST' } }),
        keySecretCode: secretCode('Key', 'The code of a secret.').optional(),
    }),
    secretUses: noSecretIsSent,
});
class MineEvent extends VendureEvent {
    constructor() {
        super();
    }
}
const operator = (code: string) =>
    recordOperator({
        code,
        title: code,
        summary: 'Does nothing.',
        config: z.strictObject({}),
        examples: [],
        compile: () => data => data,
    });

describe('the set-up', () => {
    it('knows the adapters of connectors', () => {
        const pim = defineConnector({ code: 'pim', title: 'PIM', adapters: [toy, operator('pimOnly')] });
        const { registry } = setUp({ connectors: [pim] });
        expect(registry.get('operator', 'pimOnly').title).toBe('pimOnly');
        expect(registry.get('connection', 'TOY_BOX')).toBe(toy);
    });

    it('names both origins of an adapter that is defined twice', () => {
        const pim = defineConnector({ code: 'pim', title: 'PIM', adapters: [operator('mine')] });
        const erp = defineConnector({ code: 'erp', title: 'ERP', adapters: [operator('mine')] });
        expect(() => setUp({ connectors: [pim, erp] })).toThrow(expect.objectContaining({ code: 'ADAPTER_DUPLICATE' }));
        expect(() => setUp({ connectors: [pim, erp] })).toThrow(/connector "pim".*connector "erp"/);
        expect(() => setUp({ adapters: [operator('mine')], connectors: [pim] })).toThrow(
            /option adapters.*connector "pim"/,
        );
        expect(() => setUp({ adapters: [operator('trim')] })).toThrow(/Flow itself.*option adapters/);
    });

    it('stores connections with the official name of their type and the given values, without defaults', () => {
        const { options } = setUp({
            adapters: [toy],
            connections: [{ code: 'box', type: 'TOY_BOX', settings: { host: 'here', mode: 'turbo' } }],
        });
        expect(options.connections).toEqual([{ code: 'box', type: 'TOY', settings: { host: 'here', mode: 'FAST' } }]);
    });

    it('knows the classes of events that triggers may name, including those of the shop', () => {
        const seed = () => ({ id: 1 });
        const mine = { event: MineEvent, seed };
        const { registry, events } = setUp({ events: [mine] });
        const parsed = (event: string) => registry.get('trigger', 'EVENT').config.safeParse({ event });
        expect(events.get('MineEvent')).toBe(mine);
        expect([...PLATFORM_EVENTS, 'MineEvent'].filter(name => !parsed(name).success)).toEqual([]);
        for (const name of ['MineEvent.updated', 'mineevent', '*', 'Product*', 'StockLocationEvent', ''])
            expect(parsed(name).success).toBe(false);
        expect(setUp({}).registry.get('trigger', 'EVENT').config.safeParse({ event: 'MineEvent' }).success).toBe(false);
    });

    it('rejects a class of events whose name is taken, and a value that is not a class of events', () => {
        const seed = () => ({ id: 1 });
        const twice = { event: MineEvent, seed };
        expect(messageOf(() => setUp({ events: [{ event: ProductEvent, seed }] }))).toMatch(
            /events\.0\.event .*ProductEvent.*Rename/,
        );
        expect(messageOf(() => setUp({ events: [twice, twice] }))).toContain('events.1.event');
        for (const wrong of [{ event: ProductEvent }, { event: 'ProductEvent', seed }, { seed }, 'ProductEvent'])
            expect(messageOf(() => setUp({ events: [wrong as never] }))).toContain('events.0');
    });

    it('reports all issues of all connections at once', () => {
        const connections: ConnectionSource[] = [
            { code: 'a', type: 'TOI', settings: {} },
            { code: 'b', type: 'TOY', settings: { port: 0, keySecretCode: 'two words' } },
            { code: 'c', type: 'TOY', settings: { host: 'x', password: 'hunter2' } },
        ];
        const message = messageOf(() => setUp({ adapters: [toy], connections }));
        expect(message).toContain('option connections: ');
        expect(message).toMatch(/connection "a": .*"TOI".*"TOY"\?/);
        for (const text of [
            'connection "b": settings.host is missing',
            'settings.port is 0; allowed: 1 to 65535',
            'settings.keySecretCode: must be the code of a secret',
        ]) {
            expect(message).toContain(text);
        }
        expect(message).toEqual(textNaming('connection "c": settings.password ', '; known: host'));
        expect(message).not.toContain('hunter2');
    });
});

function messageOf(act: () => unknown): string {
    try {
        act();
    } catch (error) {
        return (error as Error).message;
    }
    throw new Error('It was not rejected');
}
