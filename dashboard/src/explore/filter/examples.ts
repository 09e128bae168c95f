/** Six filters that show the language, and what each finds. They are offered while nothing is typed. */
export const EXAMPLES: readonly (readonly [string, string])[] = [
  ['salary', 'a word in any field; sal* for its beginning'],
  ['objectName:Payroll', 'exactly this value of a field'],
  ['principalName~sa*', 'a beginning, in any letter case'],
  ['actionId:(UP OR DL) AND NOT hostName:APP01', 'one of two values, but not on this host'],
  ['statement:"drop table"', 'statements with this text'],
  ['responseRows:>1000', 'numbers; clientIp:10.0.0.0/8 for networks'],
];
