import { sharedShop } from './config/shared-shop';
import { badInputSuite } from './suites/bad-input.suite';
import { cancellingSuite } from './suites/cancel.suite';
import { changeFeedSuite } from './suites/change-feed.suite';
import { deltaFilterSuite } from './suites/delta.suite';
import { dryRunsSuite } from './suites/dry-run.suite';
import { entitiesByCsvSuite } from './suites/entities-by-csv.suite';
import { fileExtractionSuite } from './suites/file-extract.suite';
import { givenStartsSuite } from './suites/given-starts.suite';
import { hooksSuite } from './suites/hooks.suite';
import { loadPermissionsSuite } from './suites/load-permissions.suite';
import { gatesSuite } from './suites/gates.suite';
import { runsSuite } from './suites/runs.suite';
import { sameFileAgainSuite } from './suites/same-file-again.suite';
import { schedulesSuite } from './suites/schedules.suite';
import { shopifyTemplateSuite } from './suites/shopify-template.suite';
import { sinksSuite } from './suites/sinks.suite';
import { sqlSourcesSuite } from './suites/sql-sources.suite';
import { templatesSuite } from './suites/templates.suite';
import { vendureTemplateSuite } from './suites/vendure-template.suite';

sharedShop('what runs do', [
    runsSuite,
    cancellingSuite,
    deltaFilterSuite,
    changeFeedSuite,
    dryRunsSuite,
    badInputSuite,
    loadPermissionsSuite,
    hooksSuite,
    givenStartsSuite,
    fileExtractionSuite,
    shopifyTemplateSuite,
    vendureTemplateSuite,
    templatesSuite,
    sameFileAgainSuite,
    entitiesByCsvSuite,
    gatesSuite,
    sinksSuite,
    schedulesSuite,
    sqlSourcesSuite,
]);
