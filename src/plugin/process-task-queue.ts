import { Injectable } from '@nestjs/common';
import { TaskQueue } from '../core/concurrency/task-queue';

/** The one lane of the process: whatever has definitions to look through does it there, a few milliseconds at a time. */
@Injectable()
export class ProcessTaskQueue extends TaskQueue {}
