import { Inject, Injectable } from '@nestjs/common';
import { logText } from '../../core/log/log-text';
import type { RequestContext } from '@vendure/core';
import { Redactor } from '../../core/adapter/redactor';
import type { FoundFile } from '../../core/adapter/source-reference';
import type { FileTriggerConfig } from '../../core/triggers/file';
import { filesOldestFirst } from '../../core/triggers/stability-window';
import type { JsonObject } from '../../core/value/json';
import type { FlowSetup } from '../setup';
import { FLOW_SETUP } from '../tokens';
import { type LookOrder, type TriggerPreviewResult, withinTestTimeout } from '../trigger-preview';
import { listFolder } from './folder-listing';
import { WatchedServers } from './watched-servers';

/** Lists the folder of a FILE trigger without taking a file. */
@Injectable()
export class FolderPreviews {
    constructor(
        private readonly servers: WatchedServers,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {}

    /**
     * Returns the files that the trigger would take, in their order, including those that have been taken before. There are at most `limit`
     * files, without the secrets in their names. Throws STEP_TEST_TIMEOUT, OUTBOUND_BLOCKED and the errors of listing the folder.
     */
    async of(
        { channelId }: RequestContext,
        watch: FileTriggerConfig['fileWatch'],
        { limit, through }: LookOrder,
    ): Promise<TriggerPreviewResult> {
        const redactor = new Redactor();
        const { found, notes } = await withinTestTimeout(this.setup.options.runtime.stepTestMs, async signal => {
            const server = await this.servers.open(channelId, watch.connectionCode, { redactor, signal, through });
            try {
                return await listFolder(server, watch, signal);
            } finally {
                server.close();
            }
        });
        const files = [...found.values()].sort(filesOldestFirst).slice(0, limit);
        const left = found.size - files.length;
        const more = left === 0 ? [] : [logText('MORE_FILES', { count: left })];
        return {
            records: files.map(({ file }) => redactor.json(shown(file))),
            remarks: redactor.json([...notes, ...more]),
        };
    }
}

function shown({ path, size, modifiedAt }: FoundFile): JsonObject {
    return { path, size, modified: modifiedAt === undefined ? null : new Date(modifiedAt).toISOString() };
}
