import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@vendure/core';
import { file, type FileTriggerConfig } from '../../core/triggers/file';
import { message, type MessageConfig } from '../../core/triggers/message';
import { FolderPreviews } from '../file-triggers/folder-previews';
import { MessagePreviews } from '../messages/message-previews';
import type { LookOrder, TriggerPreviewResult } from '../trigger-preview';

type Look = (ctx: RequestContext, config: unknown, order: LookOrder) => Promise<TriggerPreviewResult>;

/** Triggers that show what they would bring before they bring it. */
@Injectable()
export class TriggerPreviews {
    private readonly byType: ReadonlyMap<string, Look>;

    constructor(messages: MessagePreviews, files: FolderPreviews) {
        this.byType = new Map<string, Look>([
            [message.code, (ctx, config, order) => messages.of(ctx, (config as MessageConfig).message, order)],
            [file.code, (ctx, config, order) => files.of(ctx, (config as FileTriggerConfig).fileWatch, order)],
        ]);
    }

    /** How to look at what triggers of this type would bring, with a configuration that their schema has parsed; undefined of those that show nothing. */
    of(type: string): Look | undefined {
        return this.byType.get(type);
    }
}
