import type { Type } from '@vendure/core';
import { FlowCheckpoint } from './checkpoint';
import { FlowConnection } from './connection';
import { FlowDifference } from './difference';
import { FlowEventTriggerOutbox } from './event-trigger-outbox';
import { FlowGateDecision } from './gate-decision';
import { FlowHeldBatch } from './held-batch';
import { FlowLease } from './lease';
import { FlowLoadMarker } from './load-marker';
import { FlowLog } from './log';
import { FlowManagedFile } from './managed-file';
import { FlowPendingEffect } from './pending-effect';
import { FlowPipeline } from './pipeline';
import { FlowPipelineEvent } from './pipeline-event';
import { FlowRecordError } from './record-error';
import { FlowPicture } from './picture';
import { FlowPictureAddress } from './picture-address';
import { FlowPipelineRevision } from './revision';
import { FlowPipelineRun } from './run';
import { FlowRunFence } from './run-fence';
import { FlowRunStatistics } from './run-statistics';
import { FlowSecret } from './secret';
import { FlowWebhookKey } from './webhook-key';
import { FlowWorkingCopy } from './working-copy';

/**
 * Flow's tables. There are no foreign keys: not to the shop's tables, which are not ours to bind, and not among these,
 * since on MariaDB each row that a batch writes would lock its run's row, whose heartbeat must never wait for a batch. What
 * belongs to a run is deleted with it, in bounded pieces, by whoever ends or purges it.
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
    FlowCheckpoint,
    FlowLog,
    FlowManagedFile,
    FlowWebhookKey,
    FlowPicture,
    FlowPictureAddress,
    FlowRunStatistics,
];
