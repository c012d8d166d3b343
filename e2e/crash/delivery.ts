import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { defineExtractor } from '../../src';

/** What a supplier delivers, page by page. It stands in a file, so that it reaches every worker process and outlives them all. */
export interface Delivery {
    /** Whatever the delivery makes in the shop bears this word. */
    readonly name: string;
    readonly pages: number;
    /** So many of them are there; the source waits for each further one, and before the end. */
    readonly ready: number;
}

/** Records of a page: two batches, so that a page that is waited for leaves none in hand. */
export const PAGE = 8;
const LOOK_MS = 20;

/** Says what is delivered; whoever reads the file sees the old or the new. */
export function deliver(file: string, delivery: Delivery): void {
    writeFileSync(`${file}.new`, JSON.stringify(delivery));
    renameSync(`${file}.new`, file);
}

/** Reads a delivery; it waits for what is not there yet, so that a test decides how far a run gets. */
export function patientSupplier(file: string) {
    return defineExtractor({
        code: 'patientSupplier',
        title: 'Patient supplier',
        summary: 'Products, page by page.',
        config: z.strictObject({}),
        saved: () => Promise.resolve({ key: deliveredNow(file).name, startOver: false }),
        async *extract(_, cx) {
            for (let page = Number(cx.resumeFrom ?? 0); ; page++) {
                let now = deliveredNow(file);
                while (now.ready <= page && now.ready < now.pages) {
                    await cx.clock.sleep(LOOK_MS, cx.signal);
                    now = deliveredNow(file);
                }
                if (page >= now.pages) return;
                const { name } = now;
                yield {
                    records: Array.from({ length: PAGE }, (_unused, i) => product(name, page * PAGE + i)),
                    checkpoint: page + 1,
                };
            }
        },
    });
}

function deliveredNow(file: string): Delivery {
    return JSON.parse(readFileSync(file, 'utf8')) as Delivery;
}

function product(name: string, number: number) {
    return {
        sku: `${name}-${number}`,
        name: `Product ${name} ${number}`,
        price: 1000 + number,
        stock: number % 50,
        delivered: 7,
        newPrice: 2000 + number,
        emailAddress: `${name}-${number}@example.com`,
        firstName: 'Anna',
        lastName: `Lund ${number}`,
        orderCode: `${name}-${number}`,
        state: 'PaymentSettled',
        orderPlacedAt: '2026-01-31T12:00:00.000Z',
        lines: [{ sku: `${name}-${number}`, quantity: 2, price: 2000 + number, taxRate: 20 }],
        note: `Sent with parcel ${number}`,
        facetValues: [`brand-${name}:Brand ${name} ${number % 7}`, `colour-${name}:Colour ${name} ${number % 5}`],
    };
}
