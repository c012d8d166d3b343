import { sharedShop } from './config/shared-shop';
import { authoritySuite } from './suites/authority.suite';
import { runAuthoritySuite } from './suites/run-authority.suite';
import { adminApiSuite } from './suites/api.suite';
import { apiSourcesSuite } from './suites/api-sources.suite';
import { authoringSuite } from './suites/authoring.suite';
import { boundedAnswersSuite } from './suites/bounded-answers.suite';
import { connectionsSuite } from './suites/connections.suite';
import { documentsSuite } from './suites/documents.suite';
import { exportsSuite } from './suites/exports.suite';
import { httpLookupSuite } from './suites/http-lookup.suite';
import { maskedValuesSuite } from './suites/masked-values.suite';
import { messageTriggersSuite } from './suites/message-triggers.suite';
import { pimSuite } from './suites/pim.suite';
import { remoteLoadsSuite } from './suites/remote-loads.suite';
import { remoteFilesSuite, watchedFoldersSuite } from './suites/remote-files.suite';
import { stepTestsSuite } from './suites/step-test.suite';
import { storedIssuesSuite } from './suites/stored-issues.suite';
import { searchRecipeSuite } from './suites/search-recipe.suite';

sharedShop('what people make', [
    adminApiSuite,
    authoringSuite,
    documentsSuite,
    connectionsSuite,
    stepTestsSuite,
    maskedValuesSuite,
    httpLookupSuite,
    remoteLoadsSuite,
    apiSourcesSuite,
    storedIssuesSuite,
    boundedAnswersSuite,
    exportsSuite,
    pimSuite,
    remoteFilesSuite,
    messageTriggersSuite,
    watchedFoldersSuite,
    searchRecipeSuite,
    authoritySuite,
    runAuthoritySuite,
]);
