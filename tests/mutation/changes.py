# SPDX-License-Identifier: Apache-2.0
"""One-token changes of device code: which tokens of a file may change, and into what."""
import re
from collections import namedtuple

# A change: the file (relative to the tree), the line's number from 1, the whole line before and after.
Change = namedtuple('Change', 'structure file line before after')

TOKEN = re.compile(r'''
    (?P<space>\s+) | (?P<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*') |
    (?P<number>0[xX][0-9a-fA-F]+[uUlL]*|(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?[uUlLfF]*) |
    (?P<name>[A-Za-z_]\w*) |
    (?P<mark><<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\#\#|.)''', re.X)

COMPARE = {'<': ['<=', '>'], '<=': ['<', '>='], '>': ['>=', '<'], '>=': ['>', '<='],
           '==': ['!='], '!=': ['==']}
OTHERS = {'&&': ['||'], '||': ['&&'], '<<': ['>>'], '>>': ['<<'], '+=': ['-='], '-=': ['+='],
          '|=': ['&='], '&=': ['|='], '++': ['--'], '--': ['++'], '<<=': ['>>='], '>>=': ['<<='],
          '/': ['*'], '%': ['/']}
BINARY = {'+': ['-'], '-': ['+'], '&': ['|'], '|': ['&'], '*': ['/']}
NAMES = {'min': ['max'], 'max': ['min'], 'true': ['false'], 'false': ['true']}
TYPES = re.compile(r'(u?(char|short|int|long)|size_t|void|float|double|clade_\w*(u32|u64|i32|word)|'
                   r'const|volatile|unsigned|struct \w+|[A-Z_]+_(KEY|VALUE|WORD))$')
# Lines that tests themselves switch, and what the compiler alone reads.
LEFT_OUT = re.compile(r'CLADE_PLANT|CLADE_SOUND|CLADE_SCHEDULE|__attribute__|_Static_assert|#pragma|'
                      r'^\s*CLADE_UNROLL|CLADEI_REFUSES|^\s*clade_fence(_\w+)?\(\);')  # orders are for other layers
SCHEDULE = re.compile(r'\s*CLADE_SCHEDULE_POINT')  # a condition before it is the tests' own, too


def without_comments(text):
    """The lines, each comment replaced by blanks: columns stay."""
    def blank(found):
        kept = found.group(0)
        return kept if kept[0] in '"\'' else re.sub(r'[^\n]', ' ', kept)
    return re.sub(r'"(?:\\.|[^"\\\n])*"|/\*.*?\*/|//[^\n]*', blank, text, flags=re.S).split('\n')


def in_macro(text, number):
    """Whether the line, counted from 1, is one of a macro: also the last, which ends like any other."""
    lines = [''] + without_comments(text)
    while lines[number - 1].rstrip().endswith('\\'):
        number -= 1
    return lines[number].lstrip().startswith('#')


def code_lines(text):
    """Yields (index, code, first column): lines of code and of macros' bodies, not of #if and the like, nor
    of planted bugs."""
    lines = without_comments(text) + ['']
    planted, continued, skipped = [], False, False  # planted: for each open #if, here and after its #else
    only_planted = False  # what follows is done for a planted bug alone
    for index, line in enumerate(lines):
        code, start, is_planted = line, 0, only_planted
        only_planted = re.match(r'\s*if \([^|]*CLADE_PLANTED\(\w+\)[^|]*\)$', line) is not None
        if continued:
            continued = line.rstrip().endswith('\\')
            if skipped:
                continue
        elif line.lstrip().startswith('#'):
            continued = line.rstrip().endswith('\\')
            word = re.match(r'\s*#\s*(\w*)', line).group(1)
            if word in ('if', 'ifdef', 'ifndef'):
                switch = 'CLADE_PLANT' in line
                planted.append([switch and word != 'ifndef', switch and word == 'ifndef'])
            elif word in ('else', 'elif') and planted:
                planted[-1] = planted[-1][1:] * 2
            elif word == 'endif' and planted:
                planted.pop()
            body = re.match(r'\s*#\s*define\s+\w+(\([^)]*\))?\s*', line) if word == 'define' else None
            # A constant is a tunable, and a type is a type: only bodies that compute.
            skipped = not body or not (continued or re.search(r'[-+<>=&|?%]|min|max', line[body.end():]))
            if skipped:
                continue
            start = body.end()
        else:
            skipped = False
        if code.strip() and not any(now for now, _ in planted) and not is_planted and not LEFT_OUT.search(line) \
                and not (line.lstrip().startswith('if (') and SCHEDULE.match(lines[index + 1])):
            yield index, code, start


def numbers(text):
    """Off by one, and 0 for what is not small."""
    found = re.match(r'(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)$', text)
    if not found:
        return []
    value, suffix = int(found.group(1), 0), found.group(2)
    if value > 4096:
        return ['0' + suffix, '%#x%s' % (value - 1, suffix)]
    return [str(value + 1) + suffix] + ([str(value - 1) + suffix] if value else [])


def is_binary(tokens, at):
    """What stands before decides: an operand, or an operator."""
    before = [t for t in tokens[:at] if t[0] != 'space']
    if not before:
        return True  # a line that goes on
    kind, text, _ = before[-1]
    if kind == 'name':
        return text not in ('return', 'case') and not TYPES.match(text)
    if text == ')':
        inside = re.search(r'\(([^()]*)\)$', ''.join(t[1] for t in tokens[:at]).rstrip())
        return not (inside and TYPES.match(inside.group(1).strip(' *').split()[-1] if inside.group(1).strip(' *')
                                           else ''))
    return kind == 'number' or text == ']'


def replacements(tokens, at):
    kind, text, _ = tokens[at]
    if kind == 'number':
        return numbers(text)
    if kind == 'name':
        return NAMES.get(text, [])
    if kind == 'mark':
        if text in BINARY:
            typed = ''.join(t[1] for t in tokens[:at]).split()
            pointer = text == '*' and (re.search(r'\*\w|\*const|\*$', ''.join(t[1] for t in tokens[at:at + 2])) or
                                       (typed and TYPES.match(typed[-1])))
            return BINARY[text] if is_binary(tokens, at) and not pointer else []
        if text == '!':
            return ['']
        return COMPARE.get(text) or OTHERS.get(text) or []
    return []


def whole_line(code):
    """What a line as a whole may become: a statement is dropped, a condition turned."""
    text = code.strip()
    indent = code[:len(code) - len(code.lstrip())]
    if re.match(r'return\s*;$', text) or text in ('break;', 'continue;'):
        return [indent + ';']
    found = re.match(r'return\s+(.*);$', text)
    if found and len(indent) > 4 and found.group(1).count('(') == found.group(1).count(')'):
        return [indent + '(void)(%s);' % found.group(1)]
    found = re.match(r'(else )?(if|while) \((.*)\)( \{)?$', text)
    if found and not re.search(r'[=<>!&|]', found.group(3)):
        return [indent + '%s%s (!(%s))%s' % (found.group(1) or '', found.group(2), found.group(3), found.group(4) or '')]
    is_call = re.match(r'[A-Za-z_]\w*(\(\w+\))?\(.*\);$', text) and not re.match(r'\w+\(\w+\) \*?\w+( =|;)', text)
    is_set = re.match(r'(\*?[A-Za-z_][\w.\[\]>+*-]*|\*[A-Za-z_]\w*) ([-+|&^]|<<|>>)?= .*;$', text)
    level = text.count('(') == text.count(')')
    if level and (is_call or is_set) and not text.startswith('(void)'):
        return [indent + ';']
    return []


def changes(structure, name, text):
    """All changes of a file, a list for each line that has any."""
    lines = text.split('\n')
    all_lines = []
    for index, code, start in code_lines(text):
        tokens, column, here = [], 0, []
        for found in TOKEN.finditer(code):
            tokens.append((found.lastgroup, found.group(0), found.start()))
        for at, (kind, token, column) in enumerate(tokens):
            if column < start or kind in ('space', 'string'):
                continue
            for new in replacements(tokens, at):
                here.append(lines[index][:column] + new + lines[index][column + len(token):])
        if start == 0 and not code.rstrip().endswith('\\'):
            here += whole_line(code)
        if here:
            all_lines.append([Change(structure, name, index + 1, lines[index], after) for after in here])
    return all_lines


def token_change(before, after):
    """Of a change of one token: (its begin and end in the line before, what it became); None of a line as a whole."""
    old = [found for found in TOKEN.finditer(before) if found.lastgroup != 'space']
    new = [found.group(0) for found in TOKEN.finditer(after) if found.lastgroup != 'space']
    at = next((i for i, found in enumerate(old) if i == len(new) or found.group(0) != new[i]), len(old))
    for more in (1, 0):  # replaced, or gone
        if at < len(old) and [found.group(0) for found in old[at + 1:]] == new[at + more:]:
            return old[at].start(), old[at].end(), new[at] if more else ''
    return None


def normal(line):
    return ' '.join(line.split())
