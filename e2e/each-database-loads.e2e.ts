import { onEachDatabase } from './config/matrix';
import { sharedShop } from './config/shared-shop';
import { catalogueLoadsSuite } from './suites/catalogue-loads.suite';
import { collectionsSuite } from './suites/collections.suite';
import { customRelationsSuite } from './suites/custom-relations.suite';
import { describedEntitiesSuite } from './suites/described-entities.suite';
import { entityHistorySuite } from './suites/entity-history.suite';
import { entityServicesSuite } from './suites/entity-services.suite';
import { galleriesSuite } from './suites/galleries.suite';
import { historyOrdersSuite } from './suites/history-orders.suite';
import { identitySpellingsSuite } from './suites/identity-spellings.suite';
import { identitySuite } from './suites/identity.suite';
import { missingSuite } from './suites/missing.suite';
import { picturesSuite } from './suites/pictures.suite';
import { servedLoadsSuite } from './suites/served-loads.suite';
import { settingsByServicesSuite } from './suites/settings-by-services.suite';
import { stockAndPricesSuite } from './suites/stock-price.suite';

sharedShop(
    'what is loaded into each database',
    [
        stockAndPricesSuite,
        catalogueLoadsSuite,
        servedLoadsSuite,
        entityServicesSuite,
        describedEntitiesSuite,
        customRelationsSuite,
        collectionsSuite,
        picturesSuite,
        galleriesSuite,
        settingsByServicesSuite,
        historyOrdersSuite,
        missingSuite,
        identitySuite,
        identitySpellingsSuite,
        entityHistorySuite,
    ],
    onEachDatabase,
);
