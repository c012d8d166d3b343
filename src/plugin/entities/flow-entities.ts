import type { Type } from '@vendure/core';
import { FlowCheckpoint } from './checkpoint';
import { FlowConnection } from './connection';
import { FlowDifference } from './difference';
import { FlowEntityHistory } from './entity-history';
import { FlowExportPart } from './export-part';
import { FlowFeed } from './feed';
import { FlowEventTriggerOutbox } from './event-trigger-outbox';
import { FlowGateDecision } from './gate-decision';
import { FlowHeldBatch } from './held-batch';
import { FlowImportDraft } from './import-draft';
import { FlowImportMapping } from './import-mapping';
import { FlowImportOrigin } from './import-origin';
import { FlowLease } from './lease';
import { FlowLoadMarker } from './load-marker';
import { FlowLog } from './log';
import { FlowManagedFile } from './managed-file';
import { FlowMessageTrigger } from './message-trigger';
import { FlowPendingEffect } from './pending-effect';
import { FlowPipeline } from './pipeline';
import { FlowPipelineEvent } from './pipeline-event';
import { FlowReceivedMessage } from './received-message';
import { FlowRecordError } from './record-error';
import { FlowPicture } from './picture';
import { FlowPictureAddress } from './picture-address';
import { FlowRemoteAction } from './remote-action';
import { FlowPipelineRevision } from './revision';
import { FlowPipelineRun } from './run';
import { FlowRunFence } from './run-fence';
import { FlowRunStatistics } from './run-statistics';
import { FlowSecret } from './secret';
import { FlowFileWatch, FlowWatchedFile } from './watched-file';
import { FlowWebhookKey } from './webhook-key';
import { FlowWorkingCopy } from './working-copy';

/**
 * Flow's tables. There are no foreign keys to the shop's tables, because Flow must not restrict these. There are none between Flow's tables
 * either: on MariaDB, each row that a batch writes would lock the row of its run, whose heartbeat must never wait for a batch. The rows of
 * a run are deleted with it, in bounded pieces, by the code that ends or purges it.
 */
export const flowEntities: Array<Type<unknown>> = [
    FlowPipeline,
    FlowWorkingCopy,
    FlowPipelineRevision,
    FlowPipelineEvent,
    FlowConnection,
    FlowSecret,
    FlowPipelineRun,
    FlowRunFence,
    FlowLoadMarker,
    FlowHeldBatch,
    FlowGateDecision,
    FlowLease,
    FlowPendingEffect,
    FlowEventTriggerOutbox,
    FlowRecordError,
    FlowDifference,
    FlowEntityHistory,
    FlowCheckpoint,
    FlowLog,
    FlowManagedFile,
    FlowExportPart,
    FlowFeed,
    FlowWebhookKey,
    FlowPicture,
    FlowPictureAddress,
    FlowRunStatistics,
    FlowRemoteAction,
    FlowReceivedMessage,
    FlowMessageTrigger,
    FlowWatchedFile,
    FlowFileWatch,
    FlowImportDraft,
    FlowImportOrigin,
    FlowImportMapping,
];
