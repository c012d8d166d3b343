import { Injectable } from '@nestjs/common';
import { Lane } from '../core/work/lane';

/** The one lane of the process: whatever has definitions to look through does it there, a few milliseconds at a time. */
@Injectable()
export class WorkLane extends Lane {}
