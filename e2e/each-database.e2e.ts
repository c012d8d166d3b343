import { onEachDatabase } from './config/matrix';
import { sharedShop } from './config/shared-shop';
import { catalogueLoadsSuite } from './suites/catalogue-loads.suite';
import { customRelationsSuite } from './suites/custom-relations.suite';
import { describedEntitiesSuite } from './suites/described-entities.suite';
import { hostileNamesSuite } from './suites/hostile-names.suite';
import { referencesSuite } from './suites/references.suite';
import { servedLoadsSuite } from './suites/served-loads.suite';
import { smokeSuite } from './suites/smoke.suite';
import { seededRunsSuite } from './suites/seeded-runs.suite';
import { startingSuite } from './suites/starting.suite';
import { stockAndPricesSuite } from './suites/stock-price.suite';
import { validateAndRouteSuite } from './suites/validate-route.suite';

sharedShop(
    'what depends on the database',
    [
        smokeSuite,
        stockAndPricesSuite,
        catalogueLoadsSuite,
        validateAndRouteSuite,
        hostileNamesSuite,
        referencesSuite,
        servedLoadsSuite,
        describedEntitiesSuite,
        customRelationsSuite,
        startingSuite,
        seededRunsSuite,
    ],
    onEachDatabase,
);
