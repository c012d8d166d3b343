import { onEachDatabase } from './config/matrix';
import { sharedShop } from './config/shared-shop';
import { eventTriggersSuite } from './suites/event-triggers.suite';
import { hostileNamesSuite } from './suites/hostile-names.suite';
import { identityOfNamesSuite } from './suites/identity-of-names.suite';
import { identitySpellingsSuite } from './suites/identity-spellings.suite';
import { identitySuite } from './suites/identity.suite';
import { overviewSuite } from './suites/overview.suite';
import { platformQuerySuite } from './suites/platform-query.suite';
import { recordErrorsSuite } from './suites/record-errors.suite';
import { referencesSuite } from './suites/references.suite';
import { smokeSuite } from './suites/smoke.suite';
import { seededRunsSuite } from './suites/seeded-runs.suite';
import { startingSuite } from './suites/starting.suite';
import { validateAndRouteSuite } from './suites/validate-route.suite';
import { webhooksSuite } from './suites/webhooks.suite';

sharedShop(
    'what depends on the database',
    [
        smokeSuite,
        validateAndRouteSuite,
        hostileNamesSuite,
        referencesSuite,
        startingSuite,
        seededRunsSuite,
        webhooksSuite,
        eventTriggersSuite,
        platformQuerySuite,
        recordErrorsSuite,
        overviewSuite,
        identitySuite,
        identityOfNamesSuite,
        identitySpellingsSuite,
    ],
    onEachDatabase,
);
