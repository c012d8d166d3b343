import { business } from './business';
import { enumeration } from './enum';
import { length } from './length';
import { patternRule } from './pattern';
import { range } from './range';
import { required } from './required';
import { type } from './type';
import { unique } from './unique';

/** The rules that only look at records. */
export const rules = [business, required, type, range, length, patternRule, enumeration, unique] as const;
