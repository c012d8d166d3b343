import type { Ids } from './config/bare-database';
import type { Database } from './config/databases';
import { journalSuite } from './config/journal-suite';
import { effectSuite } from './config/effect-suite';
import { leaseSuite } from './config/lease-suite';
import { leftSourcesSuite } from './config/left-sources-suite';
import { memorySuite } from './config/memory-suite';
import { savedPlacesSuite } from './config/saved-places-suite';
import { scheduleSuite } from './config/schedule-suite';
import { spoolSuite } from './config/spool-suite';
import { statisticsSuite } from './config/statistics-suite';
import { storeSuite } from './config/store-suite';
import { sharedStores } from './config/store-bench';
import { onEachDatabase } from './config/matrix';

const IDS: Ids = 'numbers';

function stores(database: Database): void {
    const open = sharedStores(database, IDS);
    describe('leases', () => leaseSuite(open, database));
    describe('what a run writes', () => storeSuite(open, database));
    describe('effects that runs have to publish', () => effectSuite(open, database));
    describe('what steps hold', () => spoolSuite(open));
    describe('a source that a run has left', () => leftSourcesSuite(open, database));
    describe('a place that outlives runs', () => savedPlacesSuite(open));
    describe('what steps remember', () => memorySuite(open, database));
    describe('schedules', () => scheduleSuite(open, database));
    describe('statistics', () => statisticsSuite(open));
    describe('what users read', () => journalSuite(open));
}

onEachDatabase('the stores', stores);
