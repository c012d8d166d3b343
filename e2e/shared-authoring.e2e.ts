import { sharedShop } from './config/shared-shop';
import { adminApiSuite } from './suites/api.suite';
import { authoringSuite } from './suites/authoring.suite';
import { boundedAnswersSuite } from './suites/bounded-answers.suite';
import { connectionsSuite } from './suites/connections.suite';
import { documentsSuite } from './suites/documents.suite';
import { httpLookupSuite } from './suites/http-lookup.suite';
import { maskedValuesSuite } from './suites/masked-values.suite';
import { remoteLoadsSuite } from './suites/remote-loads.suite';
import { stepTestsSuite } from './suites/step-test.suite';
import { storedIssuesSuite } from './suites/stored-issues.suite';

sharedShop('what people make', [
    adminApiSuite,
    authoringSuite,
    documentsSuite,
    connectionsSuite,
    stepTestsSuite,
    maskedValuesSuite,
    httpLookupSuite,
    remoteLoadsSuite,
    storedIssuesSuite,
    boundedAnswersSuite,
]);
