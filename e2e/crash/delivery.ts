import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { defineExtractor } from '../../src';

/**
 * What a supplier delivers, page by page. It is in a file, so that it reaches every worker process and outlives all of
 * them.
 */
export interface Delivery {
    /** A word in everything that the delivery creates in the shop. */
    readonly name: string;
    readonly pages: number;
    /** How many pages are available. The source waits for each further one, and before the end. */
    readonly ready: number;
}

/** Records of a page: two batches, so that no batch is in progress while the source waits for a page. */
export const PAGE = 8;
const LOOK_MS = 20;

/** Writes the delivery. A reader of the file sees the old or the new one. */
export function deliver(file: string, delivery: Delivery): void {
    writeFileSync(`${file}.new`, JSON.stringify(delivery));
    renameSync(`${file}.new`, file);
}

/** Reads a delivery and waits for pages that are not available yet, so that a test decides how far a run gets. */
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
