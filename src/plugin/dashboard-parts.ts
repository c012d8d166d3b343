import type { Provider, Type } from '@nestjs/common';
import { EntityHistoryResolver, EntityWriteFieldResolver } from './api/entity-history.resolver';
import {
    RecordErrorFieldResolver,
    RecordErrorGroupFieldResolver,
    RecordErrorPipelineFieldResolver,
    RecordErrorResolver,
    RecordRetryFieldResolver,
    RunErrorFieldResolver,
} from './api/record-error.resolver';
import {
    OverviewFieldResolver,
    OverviewResolver,
    PipelineSummaryFieldResolver,
    TriggerFieldResolver,
    TriggerWarningFieldResolver,
} from './api/overview.resolver';
import { DefinitionFormatResolver } from './api/definition-format.resolver';
import { LoaderFieldResolver } from './api/loader-field.resolver';
import { TriggerPreviewResolver } from './api/trigger-preview.resolver';
import { SettingsResolver } from './api/settings.resolver';
import { EntityHistories } from './overview/entity-histories';
import { Overviews } from './overview/overview';
import { PipelineSelections } from './overview/pipeline-selection';
import { PipelineSummaries } from './overview/pipeline-summaries';
import { TriggerWarnings } from './overview/trigger-warnings';
import { RunSteps } from './runs/run-steps';
import { RecordErrorDecisions } from './record-errors/decisions';
import { RecordErrorGroupings } from './record-errors/groups';
import { RecordCsv } from './record-errors/record-csv';
import { RecordErrors } from './record-errors/record-errors';
import { RecordRetries } from './record-errors/retries';

/** The providers for the pages of the dashboard: rejected records, the overview, the columns of lists. */
export const dashboardProviders: Provider[] = [
    RecordErrors,
    RecordErrorGroupings,
    RecordRetries,
    RecordErrorDecisions,
    Overviews,
    PipelineSummaries,
    PipelineSelections,
    RunSteps,
    RecordCsv,
    TriggerWarnings,
    EntityHistories,
];

/** The resolvers for these providers. */
export const dashboardResolvers: Array<Type<unknown>> = [
    RecordErrorResolver,
    RecordErrorFieldResolver,
    RecordErrorGroupFieldResolver,
    RecordErrorPipelineFieldResolver,
    RecordRetryFieldResolver,
    RunErrorFieldResolver,
    SettingsResolver,
    DefinitionFormatResolver,
    LoaderFieldResolver,
    TriggerPreviewResolver,
    OverviewResolver,
    OverviewFieldResolver,
    PipelineSummaryFieldResolver,
    TriggerFieldResolver,
    TriggerWarningFieldResolver,
    EntityHistoryResolver,
    EntityWriteFieldResolver,
];
