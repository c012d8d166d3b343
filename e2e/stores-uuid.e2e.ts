import type { Ids } from './config/bare-database';
import type { Database } from './config/databases';
import { journalSuite } from './config/journal-suite';
import { effectSuite } from './config/effect-suite';
import { leaseSuite } from './config/lease-suite';
import { leftSourcesSuite } from './config/left-sources-suite';
import { memorySuite } from './config/memory-suite';
import { orderSuite } from './config/order-suite';
import { savedPlacesSuite } from './config/saved-places-suite';
import { spoolSuite } from './config/spool-suite';
import { statisticsSuite } from './config/statistics-suite';
import { storeSuite } from './config/store-suite';
import { onEachDatabase } from './config/matrix';

// A file of its own: a process keeps to the kind of ids that it met first.
const IDS: Ids = 'uuids';

function stores(database: Database): void {
    describe('leases', () => leaseSuite(database, IDS));
    describe('what a run writes', () => storeSuite(database, IDS));
    describe('what runs have to make known', () => effectSuite(database, IDS));
    describe('what steps hold', () => spoolSuite(database, IDS));
    describe('a source that a run has left', () => leftSourcesSuite(database, IDS));
    describe('a place that outlives runs', () => savedPlacesSuite(database, IDS));
    describe('what steps remember', () => memorySuite(database, IDS));
    describe('statistics', () => statisticsSuite(database, IDS));
    describe('orders of another system', () => orderSuite(database, IDS));
    describe('what people read', () => journalSuite(database, IDS));
}

onEachDatabase('the stores of a shop with UUIDs', stores);
