/** Six filters that show the language, and what each finds, by its name in the catalogue. They are offered while nothing is typed. */
export const EXAMPLES = [
  ['salary', 'aWord'],
  ['objectName:Payroll', 'aValue'],
  ['principalName~sa*', 'aBeginning'],
  ['actionId:(UP OR DL) AND NOT hostName:APP01', 'oneOfTwo'],
  ['statement:"drop table"', 'withText'],
  ['responseRows:>1000', 'ofNumbers'],
] as const;
