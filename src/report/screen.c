// SPDX-License-Identifier: MIT
#include "report/screen.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// In the text that a screen collects, one byte switches to a colour or style: PAINT_BYTE plus the
// number of the paint. UTF-8 has no such bytes. PAINT_NONE switches back.
enum {
    PAINT_BYTE = 0xF8
};
static const char *const paint_codes[] = {
    [PAINT_NONE] = "\x1b[0m",   [PAINT_BOLD] = "\x1b[1m",    [PAINT_DIM] = "\x1b[2m",
    [PAINT_GREEN] = "\x1b[32m", [PAINT_YELLOW] = "\x1b[33m", [PAINT_RED] = "\x1b[31m"};

// One to eight eighths of a character cell, from the left and from the bottom.
static const char *const left_blocks[] = {"▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
static const char *const low_blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

void screen_init(struct screen *screen, bool colour, unsigned columns)
{
    if (columns < SCREEN_COLUMNS_MIN)
        columns = columns ? SCREEN_COLUMNS_MIN : SCREEN_COLUMNS;
    *screen = (struct screen){.arena = arena_create(), .colour = colour, .columns = columns};
    text_stream_open(&screen->memory);
    screen->stream = screen->memory.file;
}

static bool is_paint(const char *text)
{
    return (unsigned char)*text - (unsigned)PAINT_BYTE < COUNT(paint_codes);
}

// Writes a line of the screen. Characters of text_is_control and bytes that are not UTF-8 become
// "?", so that no text from elsewhere can command the terminal.
static void put_line(const char *line, const char *end, FILE *stream)
{
    for (size_t bytes; line < end; line += bytes ? bytes : 1) {
        bytes = text_character(line);
        if (is_paint(line))
            fputs(paint_codes[(unsigned char)*line - PAINT_BYTE], stream);
        else if (bytes == 0 || text_is_control(line, bytes))
            fputc('?', stream);
        else
            fwrite(line, 1, bytes, stream);
    }
}

// Returns where a line must be broken to be at most `columns` columns wide: at its last blank after
// the indentation, else within a word. Returns `end` if it need not be broken.
static const char *break_of(const char *line, const char *end, size_t columns)
{
    const char *blank = NULL, *at = line + strspn(line, " ");
    size_t width = (size_t)(at - line);
    for (size_t bytes; at < end; at += bytes) {
        bytes = text_character(at);
        bytes = bytes ? bytes : 1;
        blank = *at == ' ' ? at : blank;
        width += !is_paint(at);
        if (width > columns)
            return blank ? blank : at;
    }
    return end;
}

// Writes a line, which ends with no blank, in as many lines as it needs.
static void put_lines(const struct screen *screen, const char *line, const char *end, FILE *stream)
{
    size_t columns = screen->columns < SCREEN_COLUMNS ? screen->columns : SIZE_MAX;
    size_t indent = strspn(line, " ") + 2;
    indent = indent < columns / 4 ? indent : columns / 4;
    for (const char *next = break_of(line, end, columns); next < end;
         next = break_of(line, end, columns - indent)) {
        const char *last = next;
        while (last > line && last[-1] == ' ')
            last--;
        put_line(line, last, stream);
        fprintf(stream, "\n%*s", (int)indent, "");
        line = next + strspn(next, " ");
    }
    put_line(line, end, stream);
}

void screen_finish(struct screen *screen, FILE *stream)
{
    text_stream_close(&screen->memory);
    for (const char *line = screen->memory.text, *next; *line; line = next) {
        next = line + strcspn(line, "\n");
        const char *end = next;
        while (end > line && end[-1] == ' ')
            end--;
        put_lines(screen, line, end, stream);
        if (*next)
            fputc(*next++, stream);
    }
    free(screen->memory.text);
    arena_destroy(screen->arena);
}

static bool continues(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

size_t screen_width(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        width += !continues(*text);
    return width;
}

void screen_widen(size_t *columns, const char *text)
{
    size_t width = screen_width(text);
    *columns = width > *columns ? width : *columns;
}

size_t screen_part(const struct screen *screen, size_t wanted, size_t parts)
{
    size_t most = screen->columns < SCREEN_COLUMNS ? screen->columns / parts : wanted;
    return wanted < most ? wanted : most;
}

const char *screen_quote(struct arena *arena, const char *text, size_t columns)
{
    static const char ellipsis[] = "…";
    size_t width = 0, used = 0;
    // A character in UTF-8 has at most four bytes.
    char *quote = arena_alloc(arena, strnlen(text, columns * 4) + sizeof ellipsis);
    size_t last = 0; // byte at which the ellipsis begins if the text must be cut
    for (; *text && width < columns; width++) {
        size_t bytes = text_character(text);
        if (width + 1 == columns)
            last = used;
        if (bytes == 0 || text_is_control(text, bytes)) {
            quote[used++] = '?';
        } else {
            memcpy(quote + used, text, bytes);
            used += bytes;
        }
        text += bytes ? bytes : 1;
    }
    if (*text && columns)
        memcpy(quote + last, ellipsis, sizeof ellipsis);
    return quote;
}

const char *screen_also(struct arena *arena, const char *list, const char *what, const char *value)
{
    return value && *value ? text_join(arena, list, " · ", arena_printf(arena, "%s%s", what, value))
                           : list;
}

const char *screen_repeat(struct arena *arena, const char *text, size_t count)
{
    size_t bytes = strlen(text);
    char *line = arena_alloc(arena, bytes * count + 1);
    for (size_t i = 0; i < count; i++)
        memcpy(line + i * bytes, text, bytes);
    return line;
}

static void spaces(struct screen *screen, size_t count)
{
    fprintf(screen->stream, "%*s", (int)count, "");
}

void screen_left(struct screen *screen, const char *text, size_t columns)
{
    screen_paint_left(screen, PAINT_NONE, text, columns);
}

void screen_right(struct screen *screen, const char *text, size_t columns)
{
    screen_paint_right(screen, PAINT_NONE, text, columns);
}

void screen_paint(struct screen *screen, enum screen_paint paint, const char *text)
{
    bool painted = screen->colour && paint != PAINT_NONE && *text;
    if (painted)
        fputc(PAINT_BYTE + (int)paint, screen->stream);
    fputs(text, screen->stream);
    if (painted)
        fputc(PAINT_BYTE + PAINT_NONE, screen->stream);
}

void screen_paint_left(struct screen *screen, enum screen_paint paint, const char *text,
                       size_t columns)
{
    size_t width = screen_width(text);
    screen_paint(screen, paint, text);
    spaces(screen, width < columns ? columns - width : 0);
}

void screen_paint_right(struct screen *screen, enum screen_paint paint, const char *text,
                        size_t columns)
{
    size_t width = screen_width(text);
    spaces(screen, width < columns ? columns - width : 0);
    screen_paint(screen, paint, text);
}

void screen_wrap(struct screen *screen, const char *text, size_t first_column, size_t indent)
{
    size_t column = first_column;
    bool line_start = true;
    while (*text) {
        size_t bytes = strcspn(text, " ");
        const char *word = arena_printf(screen->arena, "%.*s", (int)bytes, text);
        word = screen_quote(screen->arena, word, screen->columns - indent);
        size_t width = screen_width(word);
        if (!line_start && column + 1 + width > screen->columns) {
            fputc('\n', screen->stream);
            spaces(screen, indent);
            column = indent;
            line_start = true;
        }
        if (!line_start)
            fputc(' ', screen->stream);
        column += width + !line_start;
        line_start = false;
        fputs(word, screen->stream);
        text += bytes;
        text += strspn(text, " ");
    }
    fputc('\n', screen->stream);
}

void screen_title(struct screen *screen, const char *title)
{
    fputc('\n', screen->stream);
    screen_paint(screen, PAINT_BOLD, title);
    fputc('\n', screen->stream);
}

void screen_point(struct screen *screen, const char *text)
{
    fputs("  • ", screen->stream);
    screen_wrap(screen, text, 4, 4);
}

struct screen_scale screen_scale_of(const double *values, size_t count, enum unit unit)
{
    double log_sum = 0, largest = 0;
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        double size = fabs(values[i]);
        if (!isfinite(size) || size == 0)
            continue;
        log_sum += log(size);
        largest = fmax(largest, size);
        used++;
    }
    double typical = used ? exp(log_sum / (double)used) : 0;
    struct screen_scale scale;
    double shown = unit_scale(typical, unit, &scale.unit);
    scale.factor = typical > 0 ? shown / typical : 1;
    scale.decimals = shown >= 1000 ? 0 : shown >= 100 ? 1 : shown >= 10 ? 2 : 3;
    // Large numbers need fewer decimals: none from 10,000 on, at most one from 1000 on.
    if (largest * scale.factor >= 10000)
        scale.decimals = 0;
    else if (largest * scale.factor >= 1000 && scale.decimals > 1)
        scale.decimals = 1;
    return scale;
}

const char *screen_number(struct arena *arena, double value, const struct screen_scale *scale)
{
    if (!isfinite(value))
        return "–";
    double shown = value * scale->factor;
    if (fabs(shown) >= 1e9)
        return arena_printf(arena, "%.3e", shown);
    // A small value gets more decimals than its column, so that it has two significant digits.
    int decimals = scale->decimals;
    while (decimals < 6 && shown != 0 && fabs(shown) * pow(10, decimals) < 9.5)
        decimals++;
    return arena_printf(arena, "%.*f", decimals, shown);
}

// Returns how many decimals give three significant digits: 0 from 99.95 on, where the text has
// three digits without decimals.
static int short_decimals(double size)
{
    int decimals = 0;
    while (size > 0 && size * pow(10, decimals) < 99.95)
        decimals++;
    return decimals;
}

const char *screen_short(struct arena *arena, double value, enum unit unit)
{
    if (!isfinite(value))
        return "–";
    const char *name;
    double scaled = unit_scale(value, unit, &name);
    if (fabs(scaled) >= 999.5)
        // The rounded number may be one of the next unit: 999.7 µs are 1.00 ms.
        scaled = unit_scale(round(scaled) * (value / scaled), unit, &name);
    const char *space = *name ? " " : "";
    if (value != 0 && fabs(scaled) < 1e-4)
        return arena_printf(arena, "%.2e%s%s", scaled, space, name);
    return arena_printf(arena, "%.*f%s%s", short_decimals(fabs(scaled)), scaled, space, name);
}

const char *screen_median(struct arena *arena, const struct metric *metric, const char *absent)
{
    if (!metric || !isfinite(metric->median))
        return absent;
    const char *text = unit_text(arena, metric->median, metric_unit_shown(metric));
    return metric->at_least ? arena_printf(arena, "≥ %s", text) : text;
}

const char *screen_margin(struct arena *arena, double median, const double ci95[2])
{
    double half = (ci95[1] - ci95[0]) / 2 / fabs(median);
    if (!isfinite(half))
        return "";
    double percent = half * 100;
    return arena_printf(arena, percent < 9.95 ? "±%.1f%%" : "±%.0f%%", fmin(percent, 999));
}

const char *screen_counts(struct arena *arena, const struct run_counts *counts)
{
    const char *text = "";
    for (enum verdict v = VERDICT_OK; v <= VERDICT_FAILED; v++)
        if (counts->of[v])
            text = text_join(arena, text, " · ",
                             arena_printf(arena, "%zu %s", counts->of[v], verdict_name(v)));
    return text;
}

const char *screen_bar(struct arena *arena, double share, size_t columns)
{
    double eighths = isfinite(share) ? fmax(0, fmin(share, 1)) * (double)columns * 8 : 0;
    size_t count = (size_t)lround(eighths);
    char *bar = arena_alloc(arena, columns * 3 + 1);
    size_t used = 0;
    for (; count > 0; count -= count < 8 ? count : 8) {
        memcpy(bar + used, left_blocks[count < 8 ? count - 1 : 7], 3);
        used += 3;
    }
    return bar;
}

// If the values of a curve differ by less than this share of the highest value, all blocks are low:
// noise must not look like structure.
#define FLAT 0.02

// Returns the last value before index `end` that can be drawn; NaN if no value can be.
static double last_drawn(const double *values, size_t end, bool logarithmic)
{
    while (end-- > 0)
        if (isfinite(values[end]) && (!logarithmic || values[end] > 0))
            return values[end];
    return NAN;
}

const char *screen_block(double share)
{
    return low_blocks[lround(fmax(0, fmin(share, 1)) * 7)];
}

static const char *spark_block(double value, double low, double high, bool logarithmic)
{
    if (!isfinite(value))
        return " ";
    double at = logarithmic ? log(value / low) / log(high / low) : (value - low) / (high - low);
    return screen_block(isfinite(at) ? at : 0);
}

const char *screen_spark(struct arena *arena, const double *values, size_t count, size_t columns,
                         bool logarithmic)
{
    double low = INFINITY, high = -INFINITY;
    size_t end = 0; // index after the last value that can be drawn
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i]) || (logarithmic && values[i] <= 0))
            continue;
        low = fmin(low, values[i]);
        high = fmax(high, values[i]);
        end = i + 1;
    }
    if (high - low < FLAT * fabs(high))
        high = low; // with equal bounds, all blocks of the curve get the lowest height
    size_t shown = count < columns ? count : columns;
    char *spark = arena_alloc(arena, shown * 3 + 1);
    size_t used = 0;
    for (size_t i = 0; i < shown && i * count / shown < end; i++) {
        double value = last_drawn(values, (i + 1) * count / shown, logarithmic);
        const char *block = spark_block(value, low, high, logarithmic);
        memcpy(spark + used, block, strlen(block));
        used += strlen(block);
    }
    return spark;
}

// Converts "2026-01-02T03:04:05Z" to seconds since 1970; false for another form or a year before
// 1970. Does not check whether the day and the time exist.
static bool parse_utc(const char *text, time_t *seconds)
{
    // the characters after the six numbers of "2026-01-02T03:04:05Z"
    static const char ends[] = "--T::Z";
    long parts[6];
    for (size_t i = 0; i < 6; i++) {
        char *end;
        parts[i] = strtol(text, &end, 10);
        if (end == text || end - text > 4 || *end != ends[i])
            return false;
        text = end + 1;
    }
    long year = parts[0], month = parts[1], day = parts[2];
    if (*text || year < 1970 || month < 1 || month > 12)
        return false;
    // Years begin in March here, so that a leap day is the last day of a year. Any five successive
    // months without February have 153 days.
    long from_march = (month + 9) % 12;
    long years = year - (month <= 2);
    long days = 365 * years + years / 4 - years / 100 + years / 400 + (153 * from_march + 2) / 5 +
                day - 1 - 719468; // 719468 days lie between March 1 of year 0 and 1970
    *seconds = (time_t)days * 86400 + parts[3] * 3600 + parts[4] * 60 + parts[5];
    return true;
}

const char *screen_time(struct arena *arena, const char *utc)
{
    char text[64], zone[16];
    time_t seconds;
    struct tm local;
    if (!utc || !parse_utc(utc, &seconds))
        return utc ? utc : "";
    tzset();
    if (!localtime_r(&seconds, &local) || !strftime(zone, sizeof zone, "%z", &local) ||
        !strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &local))
        return utc;
    if (strcmp(zone, "+0000") == 0)
        return arena_printf(arena, "%sZ", text);
    return arena_printf(arena, "%s%.3s:%s", text, zone, zone + 3);
}
