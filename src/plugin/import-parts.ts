import type { Provider, Type } from '@nestjs/common';
import {
    ImportActionResolver,
    ImportCauseFieldResolver,
    ImportDraftFieldResolver,
    ImportDraftSummaryFieldResolver,
    ImportResolver,
} from './api/import.resolver';
import { HiddenPipelines } from './imports/hidden-pipelines';
import { ImportCauses } from './imports/import-causes';
import { ImportChecks } from './imports/import-checks';
import { ImportConversions } from './imports/import-conversions';
import { ImportDrafts } from './imports/import-drafts';
import { ImportOrigins } from './imports/import-origins';
import { ImportPipelines } from './imports/import-pipelines';
import { ImportProfiles } from './imports/import-profiles';
import { ImportShops } from './imports/import-shops';
import { ImportSources } from './imports/import-sources';
import { ImportSuggestions } from './imports/import-suggestions';
import { UnusualChanges } from './imports/unusual-changes';

/** The providers of imports. */
export const importProviders: Provider[] = [
    ImportProfiles,
    ImportShops,
    ImportSuggestions,
    ImportConversions,
    ImportDrafts,
    HiddenPipelines,
    ImportSources,
    ImportOrigins,
    ImportCauses,
    UnusualChanges,
    ImportChecks,
    ImportPipelines,
];

/** The resolvers for these providers. */
export const importResolvers: Array<Type<unknown>> = [
    ImportResolver,
    ImportActionResolver,
    ImportCauseFieldResolver,
    ImportDraftFieldResolver,
    ImportDraftSummaryFieldResolver,
];
